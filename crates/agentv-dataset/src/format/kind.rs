//! A file format.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::Diagnostic;

use super::{ALL, EvalSource};
use crate::unsaved::UnsavedTexts;

/// A function that opens a file; the name is the one that the user gave it. An unsaved text takes the place of
/// the file.
type Open = fn(&Path, &Arc<str>, &UnsavedTexts) -> Result<Box<dyn EvalSource>, Diagnostic>;

/// A file format.
#[derive(Debug)]
pub(crate) struct FormatKind {
    /// The extensions of its files, the usual one first.
    pub(crate) extensions: &'static [&'static str],
    /// Is true if dataset-level fields are in a file beside it.
    pub(crate) has_sidecar: bool,
    /// Is true if a file is an eval file only with a file beside it that says what its columns are.
    pub(crate) needs_sidecar: bool,
    /// Opens a file of this format.
    pub(crate) open: Open,
}

impl FormatKind {
    /// Returns the format of a file, by its extension, and its name without the extension.
    pub(crate) fn of(path: &Path) -> Option<(&'static FormatKind, String)> {
        let name = path.file_name()?.to_string_lossy();
        ALL.iter().find_map(|format| {
            let mut longest_first: Vec<_> = format.extensions.to_vec();
            longest_first.sort_by_key(|extension| std::cmp::Reverse(extension.len()));
            longest_first
                .into_iter()
                .find_map(|extension| name.strip_suffix(extension))
                .filter(|base| !base.is_empty())
                .map(|base| (format, base.to_owned()))
        })
    }
}
