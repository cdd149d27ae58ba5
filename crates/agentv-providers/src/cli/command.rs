//! The command line of a target, filled in and run.

use std::borrow::Cow;
use std::path::PathBuf;

use agentv_core::{Cause, ProviderError, Request, Secrets};
use agentv_process::{Captured, CommandSpec, ProcessError, Runner};
use tokio_util::sync::CancellationToken;

use super::line::Line;
use super::workplace::Workplace;
use crate::settings::{SettingError, Settings};

/// The most that is told of what a command wrote to stderr.
const TOLD: usize = 1_000;

/// A command line with placeholders, and where it runs.
pub(super) struct Command {
    line: Line,
    cwd: Option<PathBuf>,
    /// What the command inherits beyond our own environment.
    variables: Vec<(String, String)>,
    runner: Runner,
    /// What an error must not repeat.
    secrets: Secrets,
}

/// What is filled into a command line.
pub(super) struct Values<'a> {
    /// Not filled in: the most that may come back.
    pub(super) largest_output: usize,
    pub(super) prompt: &'a str,
    pub(super) guidelines: &'a str,
    pub(super) eval_id: &'a str,
    pub(super) attempt: u32,
    pub(super) files: &'a [PathBuf],
    pub(super) work: &'a Workplace,
}

impl Command {
    pub(super) fn of(settings: &Settings) -> Result<Command, SettingError> {
        let line = settings.text("command_template").unwrap_or_default();
        Command::with_line(settings, line, settings.text("cwd"), "command_template")
    }

    /// A command of the target with a line and folder of its own; `field` is where the line stands.
    pub(super) fn with_line(
        settings: &Settings,
        line: &str,
        cwd: Option<&str>,
        field: &str,
    ) -> Result<Command, SettingError> {
        let variables = settings.environment().added();
        Ok(Command {
            line: Line::of(line, field, settings.text("files_format"))?,
            cwd: cwd.map(PathBuf::from),
            variables: variables
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            runner: Runner::of_this_program(),
            secrets: settings.secret_values().secrets,
        })
    }

    pub(super) fn uses(&self, placeholder: &str) -> bool {
        self.line.uses(placeholder)
    }

    /// What stands for `{PROMPT}`: guidelines stay out of it where they have a place of their own.
    pub(super) fn prompt<'r>(&self, request: &'r Request) -> Cow<'r, str> {
        if self.uses("GUIDELINES") {
            Cow::Borrowed(&request.prompt.question)
        } else {
            Cow::Owned(request.prompt.text())
        }
    }

    /// Runs the command and gives what it answered.
    pub(super) async fn run(
        &self,
        values: &Values<'_>,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<String, ProviderError> {
        let stdout = self.execute(values, request, cancel).await?;
        let output = match values.work.output_file() {
            Some(_) => values.work.read_output(values.largest_output).await?,
            None => stdout,
        };
        String::from_utf8(output).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message = format!("the output of the command is not UTF-8 from byte {at} on");
            ProviderError::new(Cause::Answer, message)
        })
    }

    /// Runs the command for its success alone.
    pub(super) async fn succeed(
        &self,
        values: &Values<'_>,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<(), ProviderError> {
        self.execute(values, request, cancel).await.map(drop)
    }

    /// Runs the command in the folder of the eval file to its success, and gives what it printed.
    async fn execute(
        &self,
        values: &Values<'_>,
        request: &Request,
        cancel: &CancellationToken,
    ) -> Result<Vec<u8>, ProviderError> {
        let folder = match &self.cwd {
            Some(cwd) => request.folder.join(cwd),
            None => request.folder.to_path_buf(),
        };
        let (line, filled) = self.line.fill(values)?;
        let mut spec = CommandSpec::shell(line)
            .current_dir(folder)
            .deadline(request.timeout)
            .stdout_limit(values.largest_output);
        for (name, value) in &self.variables {
            spec = spec.env(name, value);
        }
        // Behind the others, for these are what the line refers to.
        for (name, value) in filled {
            spec = spec.env(name, value);
        }
        let finished = self.runner.run(spec, cancel).await;
        let finished = finished.map_err(|error| unfinished(error, &self.secrets))?;
        if !finished.status.success() {
            let how = match finished.status {
                agentv_process::Status::Exited(127) => {
                    "the command was not found (exit code 127)".to_owned()
                }
                status => format!("the command failed with {status}"),
            };
            return Err(ProviderError::new(
                Cause::Command,
                with_end_of(how, &finished.stderr, &self.secrets),
            ));
        }
        if finished.stdout.is_truncated() {
            let most = values.largest_output >> 20;
            let message = format!("the command printed more than {most} MiB");
            return Err(ProviderError::new(Cause::Answer, message));
        }
        Ok(finished.stdout.bytes)
    }
}

fn unfinished(error: ProcessError, secrets: &Secrets) -> ProviderError {
    match error {
        ProcessError::Cancelled => ProviderError::cancelled(),
        ProcessError::DeadlinePassed {
            deadline, partial, ..
        } => {
            let message = format!("the command took longer than {deadline:?} and was ended");
            ProviderError::new(
                Cause::Timeout,
                with_end_of(message, &partial.stderr, secrets),
            )
        }
        ProcessError::WorkingDirectory { .. } => {
            ProviderError::new(Cause::Setup, format!("{error}; see `cwd` of the target"))
        }
        ProcessError::NotFound { .. }
        | ProcessError::NoInterpreter { .. }
        | ProcessError::NotExecutable { .. }
        | ProcessError::Start { .. }
        | ProcessError::Supervisor { .. } => ProviderError::new(Cause::Command, error.to_string()),
    }
}

/// The message with the end of what the command wrote to stderr.
fn with_end_of(message: String, stderr: &Captured, secrets: &Secrets) -> String {
    let text = stderr.text();
    // Before it is cut: the half of a key would not be known as one.
    let text = secrets.redact(text.trim());
    if text.is_empty() {
        return format!("{message}; it wrote nothing to stderr");
    }
    let cut = text.ceil_char_boundary(text.len().saturating_sub(TOLD));
    let dots = if cut > 0 || stderr.is_truncated() {
        "…"
    } else {
        ""
    };
    format!("{message}: {dots}{}", &text[cut..])
}
