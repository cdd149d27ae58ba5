//! The line that a shell gets for a case, and the variables that hold the values of the case.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use agentv_core::{Cause, ProviderError};

use super::command::Values;
use crate::placeholder::PLACEHOLDERS;
use crate::settings::SettingError;
use crate::template::{Filling, Template};

/// What `files_format` may have in braces.
const OF_A_FILE: &[&str] = &["path", "basename"];
/// What the names of the variables begin with.
const PREFIX: &str = "AGENTV_";
/// The most bytes that the system takes as one argument, which the line is, or as one variable.
const LONGEST: usize = (128 << 10) - 1;
/// The most bytes of all variables. Commands get them as variables and as arguments, and systems take
/// one or two MiB of both.
const MOST: usize = 512 << 10;

/// Names of variables and their values.
type Variables = Vec<(String, OsString)>;

/// A command line with placeholders.
pub(super) struct Line {
    line: Template,
    /// How each of `{FILES}` is written.
    file: Template,
}

impl Line {
    /// The line that stands in `field`.
    pub(super) fn of(
        line: &str,
        field: &str,
        files_format: Option<&str>,
    ) -> Result<Line, SettingError> {
        let refused = |field: &str| {
            let field = field.to_owned();
            move |reason| SettingError::of(&field, reason)
        };
        let file = files_format.unwrap_or("{path}");
        let of_line = Template::of(line, PLACEHOLDERS).map_err(refused(field))?;
        let of_file = Template::of(file, OF_A_FILE).map_err(refused("files_format"))?;
        // `-c {path}` is harmless, but not behind `bash`.
        let together = Template::of(&line.replace("{FILES}", file), OF_A_FILE);
        together.map_err(refused("files_format"))?;
        Ok(Line {
            line: of_line,
            file: of_file,
        })
    }

    pub(super) fn uses(&self, placeholder: &str) -> bool {
        self.line.uses(placeholder)
    }

    /// The line for the shell, and the variables that it refers to. No text of a case is in the line.
    pub(super) fn fill(&self, values: &Values<'_>) -> Result<(String, Variables), ProviderError> {
        let used = PLACEHOLDERS.iter().filter(|word| self.uses(word));
        let mut variables: Variables = used
            .filter_map(|word| Some((variable(word), value(word, values)?)))
            .collect();
        let files = match self.uses("FILES") {
            true => self.files(values.files, &mut variables),
            false => String::new(),
        };
        let line = self.line.fill(|placeholder| match placeholder {
            "FILES" => Filling::Words(files.clone()),
            word => Filling::Variable(variable(word)),
        });
        self.check(&line, &variables)?;
        Ok((line, variables))
    }

    /// The words of `{FILES}`: each file has variables of its own.
    fn files(&self, files: &[PathBuf], variables: &mut Variables) -> String {
        let mut words = Vec::new();
        for (file, number) in files.iter().zip(1_usize..) {
            let name = |word: &str| match word {
                "basename" => format!("{PREFIX}FILE_NAME_{number}"),
                _ => format!("{PREFIX}FILE_{number}"),
            };
            words.push(self.file.fill(|word| Filling::Variable(name(word))));
            for word in OF_A_FILE.iter().filter(|word| self.file.uses(word)) {
                let value = match *word {
                    "basename" => file.file_name().unwrap_or_default(),
                    _ => file.as_os_str(),
                };
                variables.push((name(word), value.to_owned()));
            }
        }
        words.join(" ")
    }

    /// Whether the system takes all of it.
    fn check(&self, line: &str, variables: &Variables) -> Result<(), ProviderError> {
        let wrong = |reason: String| {
            let help = match self.uses("PROMPT") {
                true => "write `{PROMPT_FILE}` in place of `{PROMPT}` in `command_template`",
                false => "see what stands in `command_template`",
            };
            let message = format!("{reason}; {help}");
            Err(ProviderError::new(Cause::Setup, message))
        };
        let has_nul = |text: &OsStr| text.as_encoded_bytes().contains(&0);
        if has_nul(line.as_ref()) || variables.iter().any(|(_, value)| has_nul(value)) {
            return wrong("no command line can hold the NUL character of the prompt".to_owned());
        }
        // A variable is passed on as `NAME=value`.
        let lengths = variables
            .iter()
            .map(|(name, value)| name.len() + 1 + value.len());
        let longest = lengths.clone().fold(line.len(), usize::max);
        if cfg!(target_os = "linux") && longest > LONGEST {
            return wrong(format!(
                "the command line has a part of {longest} bytes, and the system takes {LONGEST}"
            ));
        }
        if lengths.sum::<usize>() > MOST {
            let most = MOST >> 10;
            return wrong(format!(
                "the command line's values have more than {most} KiB"
            ));
        }
        Ok(())
    }
}

/// The variable of a placeholder.
fn variable(placeholder: &str) -> String {
    format!("{PREFIX}{placeholder}")
}

/// What stands for a placeholder, if it stands for one value.
fn value(placeholder: &str, values: &Values<'_>) -> Option<OsString> {
    let path = |path: Option<&Path>| path.map(OsString::from).unwrap_or_default();
    Some(match placeholder {
        "PROMPT" => values.prompt.into(),
        "PROMPT_FILE" => path(values.work.prompt_file()),
        "GUIDELINES" => values.guidelines.into(),
        "EVAL_ID" => values.eval_id.into(),
        "ATTEMPT" => values.attempt.to_string().into(),
        "OUTPUT_FILE" => path(values.work.output_file()),
        _ => return None,
    })
}
