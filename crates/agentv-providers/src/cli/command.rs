//! A command of a target, filled in and run.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use agentv_core::{Cause, Extra, ProviderError, Request, Secrets, TargetSandbox};
use agentv_process::{Captured, ProcessError, Runner, SandboxSpec};
use agentv_workspace::environment;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::form::CommandForm;
use super::values::Values;
use crate::target::sandbox::target_sandbox;
use crate::target::{SettingError, Settings};

/// The most bytes of stderr that an error repeats.
const LONGEST_STDERR: usize = 1_000;

/// A command with placeholders, and the folder it runs in.
pub(super) struct Command {
    form: CommandForm,
    cwd: Option<PathBuf>,
    /// The variables that the command inherits beyond our own environment.
    variables: Vec<(String, String)>,
    runner: Runner,
    /// The sandbox that the command runs in.
    pub(super) sandbox: Option<TargetSandbox>,
    /// The values that an error must not repeat.
    secrets: Secrets,
}

impl Command {
    /// Prepares the command of a target.
    ///
    /// # Errors
    /// If a placeholder of it is misplaced.
    pub(super) fn of(settings: &Settings) -> Result<Command, SettingError> {
        Command::of_fields(settings, &settings.fields, None)
    }

    /// Prepares a command from fields `inside` another field of the target.
    ///
    /// # Errors
    /// If a placeholder of it is misplaced.
    pub(super) fn of_fields(
        settings: &Settings,
        fields: &Extra,
        inside: Option<&str>,
    ) -> Result<Command, SettingError> {
        let variables = settings.environment().added();
        Ok(Command {
            form: CommandForm::of(fields, settings.text("files_format"), inside)?,
            cwd: fields.get("cwd").and_then(Value::as_str).map(PathBuf::from),
            variables: variables
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            runner: Runner::of_this_program(),
            // A healthcheck has no workspace.
            sandbox: match inside {
                None => target_sandbox(settings)?,
                Some(_) => None,
            },
            secrets: settings.secret_values().secrets,
        })
    }

    /// Returns the field of the target that holds the command.
    pub(super) fn field(&self) -> &'static str {
        self.form.field()
    }

    /// Returns the folder that the command runs in, for an eval file in this folder.
    pub(super) fn folder(&self, eval_folder: &Path) -> PathBuf {
        match &self.cwd {
            Some(cwd) => eval_folder.join(cwd),
            None => eval_folder.to_owned(),
        }
    }

    /// Checks whether the command has this placeholder.
    pub(super) fn uses(&self, placeholder: &str) -> bool {
        self.form.uses(placeholder)
    }

    /// Returns the value of `{PROMPT}`, without the guidelines if the command has `{GUIDELINES}`.
    pub(super) fn prompt<'r>(&self, request: &'r Request) -> Cow<'r, str> {
        if self.uses("GUIDELINES") {
            Cow::Borrowed(&request.prompt.question)
        } else {
            Cow::Owned(request.prompt.text())
        }
    }

    /// Runs the command and returns its answer, which may have `largest` bytes.
    ///
    /// # Errors
    /// If the command fails, or its output is not text or too large.
    pub(super) async fn run(
        &self,
        values: &Values<'_>,
        request: &Request,
        largest: usize,
        cancel: &CancellationToken,
    ) -> Result<String, ProviderError> {
        let stdout = self.execute(values, request, largest, cancel).await?;
        let output = match values.temporary.output_file() {
            Some(_) => values.temporary.read_output(largest).await?,
            None => stdout,
        };
        String::from_utf8(output).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let message = format!("the command's output is not valid UTF-8 at byte {at}");
            ProviderError::new(Cause::Answer, message)
        })
    }

    /// Runs the command in the workspace of the trial, else in the folder of the eval file, or relative
    /// to it, and returns what it printed.
    ///
    /// # Errors
    /// If the command fails or prints more than `largest` bytes.
    pub(super) async fn execute(
        &self,
        values: &Values<'_>,
        request: &Request,
        largest: usize,
        cancel: &CancellationToken,
    ) -> Result<Vec<u8>, ProviderError> {
        let folder = self.folder(&request.folder);
        let variables = self.variables.iter();
        let variables = variables.map(|(name, value)| (name.as_str(), value.as_str()));
        let workspace = request.workspace.as_deref();
        let anchor = workspace.map(|_| folder.as_path());
        let spec = self
            .form
            .fill(values, variables, anchor)?
            .deadline(request.timeout)
            .stdout_limit(largest);
        let spec = match workspace {
            Some(workspace) => {
                let is_contained = self
                    .sandbox
                    .as_ref()
                    .is_some_and(TargetSandbox::is_container);
                // A container has no tools of this machine.
                let outer = |name: &str| std::env::var_os(name).filter(|_| !is_contained);
                spec.current_dir(&workspace.work)
                    // The target does not learn where the tests and the expected answers are.
                    .envs(environment(workspace, None, outer))
            }
            None => spec.current_dir(folder),
        };
        let spec = match (&self.sandbox, workspace) {
            (Some(sandbox), Some(workspace)) => {
                let mut readable = vec![request.root.to_path_buf(), request.folder.to_path_buf()];
                readable.extend(request.files.iter().cloned());
                readable.retain(|path| path.exists());
                spec.sandbox(SandboxSpec {
                    // The command has the variables of these files anyway.
                    hidden_files: Vec::new(),
                    ..SandboxSpec::around(workspace, sandbox, readable, Vec::new())
                })
            }
            (Some(_), None) => {
                let message = "the command has a sandbox, but the trial has no workspace";
                return Err(ProviderError::new(Cause::Setup, message));
            }
            (None, _) => spec,
        };
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
            let most = largest >> 20;
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
            let message = format!("the command timed out after {deadline:?} and was stopped");
            ProviderError::new(
                Cause::Timeout,
                with_end_of(message, &partial.stderr, secrets),
            )
        }
        ProcessError::WorkingDirectory { .. } => {
            ProviderError::new(Cause::Setup, format!("{error}; check `cwd` of the target"))
        }
        ProcessError::NotFound { .. }
        | ProcessError::NoInterpreter { .. }
        | ProcessError::NotExecutable { .. }
        | ProcessError::Start { .. }
        | ProcessError::Supervisor { .. }
        | ProcessError::SupervisorKilled { .. } => {
            ProviderError::new(Cause::Command, error.to_string())
        }
    }
}

/// Appends the end of what the command wrote to stderr.
fn with_end_of(message: String, stderr: &Captured, secrets: &Secrets) -> String {
    let text = stderr.text();
    // Redacted before it is cut, since half of a key would not be recognised.
    let text = secrets.redact(text.trim());
    if text.is_empty() {
        return format!("{message}; it wrote nothing to stderr");
    }
    let cut = text.ceil_char_boundary(text.len().saturating_sub(LONGEST_STDERR));
    let dots = if cut > 0 || stderr.is_truncated() {
        "…"
    } else {
        ""
    };
    format!("{message}: {dots}{}", &text[cut..])
}
