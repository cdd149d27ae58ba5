//! The changes of a workspace, as data.

use serde::{Deserialize, Serialize};

/// A file that was added, modified, deleted or renamed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path in the workspace, with `/` between folders. Bytes that are not UTF-8 are written
    /// `\xNN`.
    pub path: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The previous path of a renamed file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The added and removed lines, if both states are texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LineCounts>,
    /// The unified diff, up to a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// True if the diff was cut at the limit, or omitted because of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diff_truncated: bool,
    /// The BLAKE3 digest of the content now, if the file is not a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
}

/// The kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file is new.
    Added,
    /// The content, the type or the executable bit has changed.
    Modified,
    /// The file is gone.
    Deleted,
    /// The file has another path and the same content.
    Renamed,
}

impl ChangeKind {
    /// The names of all kinds, as written.
    pub const NAMES: &[&str] = &["added", "modified", "deleted", "renamed"];

    /// Returns the kind as written.
    pub fn as_str(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Modified => "modified",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Renamed => "renamed",
        }
    }

    /// Returns the kind with this name.
    pub fn named(name: &str) -> Option<ChangeKind> {
        let all = [
            ChangeKind::Added,
            ChangeKind::Modified,
            ChangeKind::Deleted,
            ChangeKind::Renamed,
        ];
        all.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// The number of changed lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineCounts {
    /// The lines that only the new state has.
    pub added: u64,
    /// The lines that only the old state has.
    pub removed: u64,
}
