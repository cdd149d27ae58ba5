//! Finds the difference between a snapshot and the present state of a folder.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use agentv_core::{ChangeKind, FileChange};

use crate::diff::{DiffLimits, compare, text};
use crate::error::WorkspaceError;
use crate::file_state::{ContentDigest, FileState, Stamp};
use crate::read::{content, is_whole};
use crate::snapshot::{Recorded, Snapshot, file_state, state_without_content};
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
    let now = states_now(folder, before)?;
    let mut found = found(before, &now);
    let further = beyond(&mut found, limits.files);
    let mut room = limits.all_diffs;
    let mut files = Vec::with_capacity(found.len());
    for change in found {
        let described = describe(folder, before, &now, &change, limits, room);
        room -= described.diff.as_ref().map_or(0, String::len).min(room);
        files.push(described);
    }
    let further = further.iter();
    let further = further.map(|change| FileChange {
        diff: None,
        ..describe(folder, before, &now, change, limits, 0)
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
struct Found<'a> {
    path: &'a Path,
    kind: ChangeKind,
    from: Option<&'a Path>,
}

/// Returns the state of every file now. Files that their stamp proves unchanged are not read.
fn states_now(
    folder: &Path,
    before: &Snapshot,
) -> Result<BTreeMap<PathBuf, FileState>, WorkspaceError> {
    let mut now = BTreeMap::new();
    let is_folder = std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    if !is_folder {
        return Ok(now);
    }
    walk(folder, false, |entry| {
        let state = match entry.kind {
            EntryKind::File(metadata) => {
                let recorded = before.files.get(&entry.path);
                let stamp = Stamp::of(&metadata);
                match recorded.filter(|recorded| is_proven_same(recorded, &stamp, before)) {
                    Some(recorded) => Some(recorded.state.clone()),
                    None => Some(file_state(&folder.join(&entry.path), &metadata)),
                }
            }
            other => state_without_content(other),
        };
        if let Some(state) = state {
            now.insert(entry.path, state);
        }
        Ok::<(), WorkspaceError>(())
    })?;
    Ok(now)
}

fn is_proven_same(recorded: &Recorded, stamp: &Stamp, before: &Snapshot) -> bool {
    recorded.stamp.as_ref() == Some(stamp) && stamp.is_reliable_at(before.taken)
}

fn found<'a>(before: &'a Snapshot, now: &'a BTreeMap<PathBuf, FileState>) -> Vec<Found<'a>> {
    let mut added = Vec::new();
    let mut found = Vec::new();
    for (path, state) in now {
        match before.files.get(path) {
            None => added.push((path.as_path(), state)),
            Some(recorded) if recorded.state != *state => found.push(Found {
                path,
                kind: ChangeKind::Modified,
                from: None,
            }),
            Some(_) => {}
        }
    }
    let mut deleted: Vec<(&Path, &FileState)> = Vec::new();
    for (path, recorded) in &before.files {
        if !now.contains_key(path) {
            deleted.push((path, &recorded.state));
        }
    }
    found.extend(with_renames(&added, &deleted));
    found.sort_by_key(|change| change.path);
    found
}

/// Pairs each added file with a deleted one of the same content. Empty files are not paired: they all
/// look alike.
fn with_renames<'a>(
    added: &[(&'a Path, &FileState)],
    deleted: &[(&'a Path, &FileState)],
) -> Vec<Found<'a>> {
    let mut by_content: HashMap<ContentDigest, Vec<&'a Path>> = HashMap::new();
    for (path, state) in deleted.iter().rev() {
        if let Some(digest) = content_of(state) {
            by_content.entry(digest).or_default().push(path);
        }
    }
    let mut found = Vec::new();
    let mut renamed = std::collections::HashSet::new();
    for (path, state) in added {
        let same = content_of(state).and_then(|digest| by_content.get_mut(&digest)?.pop());
        renamed.extend(same);
        found.push(Found {
            path,
            kind: match same {
                Some(_) => ChangeKind::Renamed,
                None => ChangeKind::Added,
            },
            from: same,
        });
    }
    let gone = deleted.iter().filter(|(path, _)| !renamed.contains(path));
    found.extend(gone.map(|(path, _)| Found {
        path,
        kind: ChangeKind::Deleted,
        from: None,
    }));
    found
}

fn content_of(state: &FileState) -> Option<ContentDigest> {
    match state {
        FileState::File(content) if content.size > 0 => Some(content.digest),
        FileState::File(_) | FileState::Link(_) | FileState::Special | FileState::Unreadable => {
            None
        }
    }
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
    if found.kind == ChangeKind::Renamed {
        return change;
    }
    let old = before.files.get(found.path);
    let new = now.get(found.path);
    let old_bytes = Side::of_recorded(old, limits);
    let new_bytes = Side::of_present(&folder.join(found.path), new, limits);
    let modes = modes(old.map(|recorded| &recorded.state), new);
    match (old_bytes.text(), new_bytes.text()) {
        (Ok(old), Ok(new)) => {
            let limit = limits.file_diff.min(room).saturating_sub(modes.len());
            let difference = compare(&path, old, new, limit);
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
enum Side {
    Absent,
    Content(Vec<u8>),
    /// Larger than the limit, or its previous content was not kept.
    TooLarge,
    /// Not a regular file.
    Other,
}

impl Side {
    fn of_recorded(recorded: Option<&Recorded>, limits: &DiffLimits) -> Side {
        let Some(recorded) = recorded else {
            return Side::Absent;
        };
        match (&recorded.state, &recorded.copy) {
            (FileState::Link(target), _) => Side::of_link(target),
            (FileState::Special | FileState::Unreadable, _) => Side::Other,
            (FileState::File(_), None) => Side::TooLarge,
            (FileState::File(expected), Some(copy)) => {
                // An agent without a sandbox may have changed the copy.
                let same = |bytes: &Vec<u8>| blake3::hash(bytes) == expected.digest;
                match content(copy, limits.file_size) {
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

    fn text(&self) -> Result<Option<&str>, ()> {
        match self {
            Side::Absent => Ok(None),
            Side::Content(bytes) => text(bytes).map(Some).ok_or(()),
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
