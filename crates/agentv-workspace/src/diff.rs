//! Unified diffs of texts, with limits.

use std::time::Duration;

use agentv_core::LineCounts;
use similar::{ChangeTag, TextDiff, TextDiffConfig};

/// The limits of a list of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLimits {
    /// The most files to list.
    pub files: usize,
    /// The most bytes of one file's diff.
    pub file_diff: usize,
    /// The most bytes of all diffs together.
    pub all_diffs: usize,
    /// The largest file to compare line by line, in bytes.
    pub file_size: u64,
}

impl Default for DiffLimits {
    fn default() -> DiffLimits {
        DiffLimits {
            files: 1_000,
            file_diff: 64 << 10,
            all_diffs: 1 << 20,
            file_size: 4 << 20,
        }
    }
}

/// A search for the smallest difference ends after this long. The lines found by then are reported
/// as replaced.
const LONGEST: Duration = Duration::from_secs(2);

/// The difference of two texts.
pub(crate) struct TextDifference {
    pub(crate) lines: LineCounts,
    /// The unified diff, cut after the last whole line within the limit.
    pub(crate) diff: String,
    pub(crate) truncated: bool,
}

/// Compares two texts line by line, with the names of their files. `None` as a text stands for a file that
/// does not exist.
pub(crate) fn compare(
    (old_path, new_path): &(String, String),
    old: Option<&str>,
    new: Option<&str>,
    limit: usize,
) -> TextDifference {
    let mut config = TextDiffConfig::default();
    config.timeout(LONGEST);
    let diff = config.diff_lines(old.unwrap_or_default(), new.unwrap_or_default());
    let name = |side: &str, path: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let mut unified = diff.unified_diff();
    unified.header(&name("a", old_path, old), &name("b", new_path, new));
    let mut text = unified.to_string();
    let truncated = text.len() > limit;
    if truncated {
        let end = text.floor_char_boundary(limit);
        let end = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
        text.truncate(end);
    }
    TextDifference {
        lines: count(&diff),
        diff: text,
        truncated,
    }
}

fn count(diff: &TextDiff<'_, '_, str>) -> LineCounts {
    let mut lines = LineCounts::default();
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Insert => lines.added += 1,
            ChangeTag::Delete => lines.removed += 1,
            ChangeTag::Equal => {}
        }
    }
    lines
}
