//! A shell line for a case, and the variables that hold the values of the case.

use std::ffi::OsString;
use std::path::PathBuf;

use super::super::placeholder::{FILE_PLACEHOLDERS, PLACEHOLDERS};
use super::super::values::{Values, file_value};
use super::line::{MisplacedPlaceholder, ShellLine, Substitute};

/// The beginning of the variables' names.
const PREFIX: &str = "AGENTV_";

/// Names of variables, and their values.
type Variables = Vec<(String, OsString)>;

/// A shell line with placeholders, and the format of each file in `{FILES}`.
pub(crate) struct ShellCommand {
    line: ShellLine,
    file: ShellLine,
}

impl ShellCommand {
    /// Prepares a line whose placeholders have been checked.
    ///
    /// # Errors
    /// If a placeholder of the line is misplaced.
    pub(crate) fn of(line: &str) -> Result<ShellCommand, MisplacedPlaceholder> {
        Ok(ShellCommand {
            line: ShellLine::of(line, PLACEHOLDERS)?,
            file: ShellLine::of_arguments("{path}", FILE_PLACEHOLDERS)?,
        })
    }

    /// Sets the format of each file.
    ///
    /// # Errors
    /// If a placeholder of the format is misplaced.
    pub(crate) fn files_format(self, format: &str) -> Result<ShellCommand, MisplacedPlaceholder> {
        let file = ShellLine::of_arguments(format, FILE_PLACEHOLDERS)?;
        Ok(ShellCommand { file, ..self })
    }

    pub(crate) fn uses(&self, placeholder: &str) -> bool {
        self.line.uses(placeholder)
    }

    /// Returns the line for the shell, and the variables that it refers to. The line has no text of
    /// the case in it.
    pub(crate) fn fill(&self, values: &Values<'_>) -> (String, Variables) {
        let used = PLACEHOLDERS.iter().filter(|word| self.uses(word));
        let mut variables: Variables = used
            .filter_map(|word| Some((variable(word), values.one(word)?)))
            .collect();
        let files = if self.uses("FILES") {
            self.files(values.files, &mut variables)
        } else {
            String::new()
        };
        let line = self.line.fill(|placeholder| match placeholder {
            "FILES" => Substitute::Words(files.clone()),
            word => Substitute::Variable(variable(word)),
        });
        (line, variables)
    }

    /// Returns the words of `{FILES}`. Each file has variables of its own.
    fn files(&self, files: &[PathBuf], variables: &mut Variables) -> String {
        let mut words = Vec::new();
        for (file, number) in files.iter().zip(1_usize..) {
            let name = |word: &str| match word {
                "basename" => format!("{PREFIX}FILE_NAME_{number}"),
                _ => format!("{PREFIX}FILE_{number}"),
            };
            words.push(self.file.fill(|word| Substitute::Variable(name(word))));
            let used = FILE_PLACEHOLDERS.iter().filter(|word| self.file.uses(word));
            variables.extend(used.map(|word| (name(word), file_value(file, word).to_owned())));
        }
        words.join(" ")
    }
}

/// Returns the name of the variable of a placeholder.
fn variable(placeholder: &str) -> String {
    format!("{PREFIX}{placeholder}")
}
