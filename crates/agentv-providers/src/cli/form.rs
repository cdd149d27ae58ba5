//! The two forms in which users write a command.

use std::ffi::OsStr;
use std::path::Path;

use agentv_core::{Cause, Extra, ProviderError};
use agentv_process::CommandSpec;
use serde_json::Value;

use super::argv::Argv;
use super::shell::ShellCommand;
use super::values::Values;
use crate::target::SettingError;

/// The most bytes that the system accepts as one argument or as one variable.
const LARGEST_WORD: usize = if cfg!(target_os = "linux") {
    (128 << 10) - 1
} else {
    LARGEST_TOTAL
};
/// The most bytes of all values together. Systems accept one or two MiB of arguments and variables,
/// and a value can be both. Windows accepts a command line of 32 Ki characters.
const LARGEST_TOTAL: usize = if cfg!(windows) { 30 << 10 } else { 512 << 10 };

/// A command as the user wrote it: words, or a line for the shell.
pub(super) enum CommandForm {
    Words(Argv),
    Line(ShellCommand),
}

impl CommandForm {
    /// Reads `command` or `command_template` from the fields of a target or of its healthcheck, which
    /// is `inside` the target.
    ///
    /// # Errors
    /// If a placeholder is misplaced.
    pub(super) fn of(
        fields: &Extra,
        files_format: Option<&str>,
        inside: Option<&str>,
    ) -> Result<CommandForm, SettingError> {
        let refused =
            |field: &str, message: String| SettingError::of(inside.unwrap_or(field), message);
        if let Some(Value::Array(words)) = fields.get("command") {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            let argv = Argv::of(&words, files_format);
            return argv
                .map(CommandForm::Words)
                .map_err(|error| refused("command", error.to_string()));
        }
        let line = fields.get("command_template").and_then(Value::as_str);
        let shell = ShellCommand::of(line.unwrap_or_default())
            .map_err(|error| refused("command_template", error.to_string()))?;
        let Some(format) = files_format else {
            return Ok(CommandForm::Line(shell));
        };
        shell
            .files_format(format)
            .map(CommandForm::Line)
            .map_err(|error| SettingError::of("files_format", error.to_string()))
    }

    /// Returns the field of the target that holds the command.
    pub(super) fn field(&self) -> &'static str {
        match self {
            CommandForm::Words(_) => "command",
            CommandForm::Line(_) => "command_template",
        }
    }

    /// Checks whether the command has this placeholder.
    pub(super) fn uses(&self, placeholder: &str) -> bool {
        match self {
            CommandForm::Words(argv) => argv.uses(placeholder),
            CommandForm::Line(shell) => shell.uses(placeholder),
        }
    }

    /// Returns the command for a case. `variables` are those of the target; the values of the case
    /// take precedence. With `anchor`, the words of `command` that name files in that folder become
    /// absolute.
    ///
    /// # Errors
    /// If a value is longer than the system accepts, or has a NUL character.
    pub(super) fn fill<'v>(
        &self,
        values: &Values<'_>,
        variables: impl Iterator<Item = (&'v str, &'v str)>,
        anchor: Option<&Path>,
    ) -> Result<CommandSpec, ProviderError> {
        let with_variables =
            |spec: CommandSpec| variables.fold(spec, |spec, (name, value)| spec.env(name, value));
        match self {
            CommandForm::Words(argv) => {
                let (program, arguments) = argv.fill(values, anchor);
                self.check(arguments.iter().map(|word| (0, word.as_os_str())))?;
                Ok(with_variables(CommandSpec::program(program)).args(arguments))
            }
            CommandForm::Line(shell) => {
                let (line, filled) = shell.fill(values);
                // A variable is passed on as `NAME=value`.
                let filled_words = filled
                    .iter()
                    .map(|(name, value)| (name.len() + 1, value.as_os_str()));
                self.check(filled_words.chain([(0, OsStr::new(&line))]))?;
                let spec = with_variables(CommandSpec::shell(line));
                Ok(filled
                    .into_iter()
                    .fold(spec, |spec, (name, value)| spec.env(name, value)))
            }
        }
    }

    /// Checks that the system accepts all words. Each comes with the length of what precedes it.
    fn check<'w>(
        &self,
        words: impl Iterator<Item = (usize, &'w OsStr)>,
    ) -> Result<(), ProviderError> {
        let (mut longest, mut total) = (0, 0);
        for (before, word) in words {
            if word.as_encoded_bytes().contains(&0) {
                return Err(self.refused(
                    "an argument of the command has a NUL character, which the system does not accept",
                ));
            }
            let length = before + word.len();
            longest = longest.max(length);
            total += length;
        }
        if longest > LARGEST_WORD {
            return Err(self.refused(&format!(
                "an argument of the command has {longest} bytes, and the system accepts at most \
                 {LARGEST_WORD}"
            )));
        }
        if total > LARGEST_TOTAL {
            let most = LARGEST_TOTAL >> 10;
            return Err(self.refused(&format!(
                "the arguments of the command are longer than {most} KiB in total"
            )));
        }
        Ok(())
    }

    fn refused(&self, reason: &str) -> ProviderError {
        let field = self.field();
        let help = if self.uses("PROMPT") {
            format!("use `{{PROMPT_FILE}}` instead of `{{PROMPT}}` in `{field}`")
        } else {
            format!("check `{field}` of the target")
        };
        ProviderError::new(Cause::Setup, format!("{reason}; {help}"))
    }
}
