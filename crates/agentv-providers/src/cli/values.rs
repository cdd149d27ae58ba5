//! The values of a command's placeholders.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::temporary_files::TemporaryFiles;

/// The values of a command's placeholders for one run of the command.
pub(crate) struct Values<'a> {
    pub(super) prompt: &'a str,
    pub(super) guidelines: &'a str,
    pub(super) eval_id: &'a str,
    pub(super) attempt: u32,
    pub(super) files: &'a [PathBuf],
    pub(super) temporary: &'a TemporaryFiles,
}

impl Values<'_> {
    /// Returns the value of a placeholder, or `None` for `FILES`, which has several.
    pub(super) fn one(&self, placeholder: &str) -> Option<OsString> {
        let path = |path: Option<&Path>| path.map(OsString::from).unwrap_or_default();
        Some(match placeholder {
            "PROMPT" => self.prompt.into(),
            "PROMPT_FILE" => path(self.temporary.prompt_file()),
            "GUIDELINES" => self.guidelines.into(),
            "EVAL_ID" => self.eval_id.into(),
            "ATTEMPT" => self.attempt.to_string().into(),
            "OUTPUT_FILE" => path(self.temporary.output_file()),
            _ => return None,
        })
    }
}

/// Returns the value of a placeholder of `files_format`.
pub(super) fn file_value<'f>(file: &'f Path, placeholder: &str) -> &'f OsStr {
    match placeholder {
        "basename" => file.file_name().unwrap_or_default(),
        _ => file.as_os_str(),
    }
}
