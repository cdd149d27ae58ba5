//! Finds the difference between a snapshot and the present state of a folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agentv_core::{ChangeKind, FileChange};

use crate::diff::{DiffLimits, compare};
use crate::error::WorkspaceError;
use crate::file_state::{FileState, Stamp};
use crate::read::{content, is_whole};
use crate::renames::with_renames;
use crate::snapshot::{Recorded, Snapshot, file_state, state_without_content};
use crate::text::decoded;
use crate::tree::{EntryKind, walk};

/// The difference between two states of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The changed files, sorted by path, up to the limit of the list.
    pub files: Vec<FileChange>,
    /// The changed files beyond the limit, without diffs.
    pub further: Vec<FileChange>,
}

/// Lists the changes of `folder` since `before`. A folder that is gone has lost all its files.
pub(crate) fn changes(
    folder: &Path,
    before: &Snapshot,
    limits: &DiffLimits,
) -> Result<Changes, WorkspaceError> {
    let now = StatesNow::of(folder, before)?;
    let mut found = found(folder, before, &now, limits);
    let now = &now.changed;
    let further = beyond(&mut found, limits.files);
    let mut room = limits.all_diffs;
    let mut files = Vec::with_capacity(found.len());
    for change in found {
        let described = describe(folder, before, now, &change, limits, room);
        room -= described.diff.as_ref().map_or(0, String::len).min(room);
        files.push(described);
    }
    let further = further.iter();
    let further = further.map(|change| FileChange {
        diff: None,
        ..describe(folder, before, now, change, limits, 0)
    });
    Ok(Changes {
        files,
        further: further.collect(),
    })
}

/// Takes the changes beyond a limit out of a list. Files that an agent changed stay before files that it
/// added, and those before files in deeper folders, such as installed packages.
fn beyond<'a>(found: &mut Vec<Found<'a>>, limit: usize) -> Vec<Found<'a>> {
    if found.len() <= limit {
        return Vec::new();
    }
    let is_added = |change: &Found<'_>| change.kind == ChangeKind::Added;
    found.sort_by_key(|change| {
        (
            is_added(change),
            change.path.components().count(),
            change.path,
        )
    });
    let mut further = found.split_off(limit);
    found.sort_by_key(|change| change.path);
    further.sort_by_key(|change| change.path);
    further
}

/// A change without its description.
pub(crate) struct Found<'a> {
    pub(crate) path: &'a Path,
    pub(crate) kind: ChangeKind,
    pub(crate) from: Option<&'a Path>,
}

/// The present state of a folder, as far as it differs from a snapshot.
struct StatesNow {
    /// The files that are new or differ.
    changed: BTreeMap<PathBuf, FileState>,
    /// For each file of the snapshot, by its position: true if it still exists.
    exists: Vec<bool>,
}

impl StatesNow {
    /// Reads a folder. Files that their stamp proves unchanged are not read.
    fn of(folder: &Path, before: &Snapshot) -> Result<StatesNow, WorkspaceError> {
        let mut now = StatesNow {
            changed: BTreeMap::new(),
            exists: vec![false; before.files.len()],
        };
        let is_folder = std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
        if !is_folder {
            return Ok(now);
        }
        walk(folder, false, |entry| {
            let recorded = before.files.get(&entry.path);
            let state = match entry.kind {
                EntryKind::File(metadata) => {
                    let stamp = Stamp::of(&metadata);
                    match recorded.filter(|recorded| is_proven_same(recorded, &stamp, before)) {
                        Some(recorded) => {
                            now.exists[recorded.position] = true;
                            return Ok(());
                        }
                        None => Some(file_state(&folder.join(&entry.path), &metadata)),
                    }
                }
                other => state_without_content(other),
            };
            let Some(state) = state else {
                return Ok(());
            };
            if let Some(recorded) = recorded {
                now.exists[recorded.position] = true;
            }
            if recorded.is_none_or(|recorded| recorded.state != state) {
                now.changed.insert(entry.path, state);
            }
            Ok::<(), WorkspaceError>(())
        })?;
        Ok(now)
    }
}

fn is_proven_same(recorded: &Recorded, stamp: &Stamp, before: &Snapshot) -> bool {
    recorded.stamp.as_ref() == Some(stamp) && stamp.is_reliable_at(before.taken)
}

fn found<'a>(
    folder: &Path,
    before: &'a Snapshot,
    now: &'a StatesNow,
    limits: &DiffLimits,
) -> Vec<Found<'a>> {
    let mut added = Vec::new();
    let mut found = Vec::new();
    for (path, state) in &now.changed {
        if before.files.contains_key(path) {
            found.push(Found {
                path,
                kind: ChangeKind::Modified,
                from: None,
            });
        } else {
            added.push((path.as_path(), state));
        }
    }
    let files = before.files.iter();
    let deleted = files.filter(|(_, recorded)| !now.exists[recorded.position]);
    let mut deleted: Vec<(&Path, &FileState)> = deleted
        .map(|(path, recorded)| (path.as_path(), &recorded.state))
        .collect();
    deleted.sort_by_key(|(path, _)| *path);
    let content_before = |path: &Path| match Side::of_recorded(path, before, limits) {
        Side::Content(bytes) => Some(bytes),
        Side::Absent | Side::TooLarge | Side::Other => None,
    };
    let content_now = |path: &Path| content(&folder.join(path), limits.file_size).ok()?;
    found.extend(with_renames(
        &added,
        &deleted,
        &content_before,
        &content_now,
    ));
    found.sort_by_key(|change| change.path);
    found
}

fn describe(
    folder: &Path,
    before: &Snapshot,
    now: &BTreeMap<PathBuf, FileState>,
    found: &Found<'_>,
    limits: &DiffLimits,
    room: usize,
) -> FileChange {
    let path = shown(found.path);
    let mut change = FileChange {
        path: path.clone(),
        kind: found.kind,
        from: found.from.map(shown),
        lines: None,
        diff: None,
        diff_truncated: false,
        digest: None,
    };
    let old_path = found.from.unwrap_or(found.path);
    let old = before.files.get(old_path).map(|recorded| &recorded.state);
    let new = now.get(found.path);
    let content_of = |state: Option<&FileState>| match state {
        Some(FileState::File(content)) => Some(content.digest),
        _ => None,
    };
    let is_moved_only = found.from.is_some() && content_of(old) == content_of(new);
    if is_moved_only {
        return change;
    }
    let old_bytes = Side::of_recorded(old_path, before, limits);
    let new_bytes = Side::of_present(&folder.join(found.path), new, limits);
    let modes = modes(old, new);
    match (old_bytes.text(), new_bytes.text()) {
        // Equal texts have different encodings.
        (Ok(old), Ok(new)) if old != new || old_bytes == new_bytes => {
            let limit = limits.file_diff.min(room).saturating_sub(modes.len());
            let names = (shown(old_path), path);
            let difference = compare(&names, old.as_deref(), new.as_deref(), limit);
            change.lines = Some(difference.lines);
            change.diff_truncated = difference.truncated;
            change.diff = Some(modes + &difference.diff).filter(|diff| !diff.is_empty());
        }
        _ => {
            change.diff_truncated = old_bytes.is_too_large() || new_bytes.is_too_large();
            change.diff = Some(modes).filter(|modes| !modes.is_empty());
            change.digest = match new {
                Some(FileState::File(content)) if is_whole(content.size) => {
                    Some(content.digest.to_hex().to_string())
                }
                _ => None,
            };
        }
    }
    change
}

/// Returns the lines with which git shows a change of a file's mode: that it became a program or a link, or
/// that it is a new link.
fn modes(old: Option<&FileState>, new: Option<&FileState>) -> String {
    match (old.and_then(mode), new.and_then(mode)) {
        (Some(old), Some(new)) if old != new => format!("old mode {old}\nnew mode {new}\n"),
        (None, Some(new)) if new != ORDINARY => format!("new file mode {new}\n"),
        (Some(old), None) if old != ORDINARY => format!("deleted file mode {old}\n"),
        _ => String::new(),
    }
}

/// The mode of a file that is not a program.
const ORDINARY: &str = "100644";

fn mode(state: &FileState) -> Option<&'static str> {
    match state {
        FileState::File(content) if content.executable => Some("100755"),
        FileState::File(_) => Some(ORDINARY),
        FileState::Link(_) => Some("120000"),
        FileState::Special | FileState::Unreadable => None,
    }
}

/// One side of a comparison.
#[derive(PartialEq, Eq)]
enum Side {
    Absent,
    Content(Vec<u8>),
    /// Larger than the limit, or its previous content was not kept.
    TooLarge,
    /// Not a regular file.
    Other,
}

impl Side {
    fn of_recorded(path: &Path, before: &Snapshot, limits: &DiffLimits) -> Side {
        let Some(recorded) = before.files.get(path) else {
            return Side::Absent;
        };
        match (&recorded.state, before.copy_of(path)) {
            (FileState::Link(target), _) => Side::of_link(target),
            (FileState::Special | FileState::Unreadable, _) => Side::Other,
            (FileState::File(_), None) => Side::TooLarge,
            (FileState::File(expected), Some(copy)) => {
                // An agent without a sandbox may have changed the copy.
                let same = |bytes: &Vec<u8>| blake3::hash(bytes) == expected.digest;
                match content(&copy, limits.file_size) {
                    Ok(Some(bytes)) if same(&bytes) => Side::Content(bytes),
                    Ok(_) | Err(_) => Side::TooLarge,
                }
            }
        }
    }

    fn of_present(place: &Path, state: Option<&FileState>, limits: &DiffLimits) -> Side {
        match state {
            None => Side::Absent,
            Some(FileState::Link(target)) => Side::of_link(target),
            Some(FileState::Special | FileState::Unreadable) => Side::Other,
            Some(FileState::File(_)) => match content(place, limits.file_size) {
                Ok(Some(bytes)) => Side::Content(bytes),
                Ok(None) => Side::TooLarge,
                Err(_) => Side::Other,
            },
        }
    }

    /// Shows a link as git does: its target is its content.
    fn of_link(target: &Path) -> Side {
        Side::Content(target.as_os_str().as_encoded_bytes().to_vec())
    }

    fn text(&self) -> Result<Option<Cow<'_, str>>, ()> {
        match self {
            Side::Absent => Ok(None),
            Side::Content(bytes) => decoded(bytes).map(Some).ok_or(()),
            Side::TooLarge | Side::Other => Err(()),
        }
    }

    fn is_too_large(&self) -> bool {
        matches!(self, Side::TooLarge)
    }
}

/// Writes a path with `/` between folders, and with bytes that are not UTF-8 as `\xNN`.
fn shown(path: &Path) -> String {
    let mut shown = String::new();
    for (index, part) in path.iter().enumerate() {
        if index > 0 {
            shown.push('/');
        }
        for chunk in part.as_encoded_bytes().utf8_chunks() {
            shown.push_str(chunk.valid());
            for byte in chunk.invalid() {
                shown.push_str(&format!("\\x{byte:02x}"));
            }
        }
    }
    shown
}
