//! The reasons why files are not eval files.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::found_file::FileRole;
use super::role::{is_in_settings, role_of};
use super::walk::files_below;
use crate::dataset::{is_eval_file_name, sidecar_path};
use crate::format::Document;
use crate::results_file::{has_results, is_empty};
use crate::unsaved::UnsavedTexts;

/// Number of files that a message lists.
const LISTED: usize = 20;

/// A file that was looked at, and is not an eval file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// The path, as the user would write it.
    pub path: PathBuf,
    /// The reason, a clause about "it".
    pub reason: String,
}

/// Returns the files that `paths` name and that are not eval files, those with the name of one first.
pub fn examine(paths: &[PathBuf]) -> Vec<Examined> {
    let mut files: Vec<PathBuf> = paths.iter().flat_map(|path| files_below(path)).collect();
    files.sort_by_cached_key(|path| (Reverse(is_eval_file_name(path)), path.clone()));
    files.dedup();
    let examined = files.into_iter().filter_map(|path| {
        let reason = reason(&path)?;
        Some(Examined { path, reason })
    });
    examined.collect()
}

/// Returns the lines of a message that list files, each with a line break before it.
pub(super) fn listed(examined: &[Examined]) -> String {
    let lines = examined.iter().take(LISTED);
    let mut listed: String = lines
        .map(|Examined { path, reason }| format!("\n  `{}`: {reason}", path.display()))
        .collect();
    if let Some(more) = examined.len().checked_sub(LISTED).filter(|more| *more > 0) {
        listed.push_str(&format!("\n  and {more} more"));
    }
    listed
}

impl Examined {
    /// Returns the lines of a message that list files, each with a line break before it.
    pub fn list(examined: &[Examined]) -> String {
        listed(examined)
    }
}

/// Returns the reason why a file is not an eval file; `None` if it is one.
fn reason(path: &Path) -> Option<String> {
    let reason = match role_of(path, &UnsavedTexts::default()) {
        Some(FileRole::EvalFile) if is_empty(path) => "it is empty",
        Some(FileRole::EvalFile) if has_results(path, &UnsavedTexts::default()) => {
            "it has results of a run or recorded answers, not cases"
        }
        Some(FileRole::EvalFile) => return None,
        Some(FileRole::Sidecar) => "it is the sidecar of a JSONL file",
        Some(FileRole::Targets) => "it defines targets",
        Some(FileRole::Config) => "it has project settings",
        None if is_in_settings(path) => "it is in `.agentv`, which has no eval files",
        None if !is_eval_file_name(path) || sidecar_path(path).is_some() => {
            "its name does not end in .yaml, .yml or .jsonl"
        }
        None => return Some(reason_of_yaml(path)),
    };
    Some(reason.to_owned())
}

fn reason_of_yaml(path: &Path) -> String {
    let document = match Document::open(
        path,
        &Arc::from(path.to_string_lossy()),
        &UnsavedTexts::default(),
    ) {
        Ok(document) => document,
        Err(diagnostic) => return format!("it cannot be read: {}", diagnostic.problem.message),
    };
    let root = document.root();
    if root.get("tests").is_some() {
        return "it has `tests`, but they are not cases of any dialect that is known".to_owned();
    }
    if root.fields().next().is_none() {
        let found = root.kind().described();
        return format!("expected a mapping with `evalcases`, found {found}");
    }
    "it has no `evalcases`".to_owned()
}
