//! Finds files that were renamed, with or without a change of their content.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::Path;

use agentv_core::ChangeKind;

use crate::changes::Found;
use crate::file_state::{ContentDigest, FileState};

/// The most pairs of files whose contents are compared.
const MOST_PAIRS: usize = 2_500;

/// The share of the larger file, in percent, that two files must have in common to be one that was renamed.
/// Git takes the same.
const SIMILAR: u64 = 50;

/// Pairs each added file with a deleted one of the same content, or else with the most similar one. Empty
/// files are not paired: they all look alike. The lists are sorted by path.
pub(crate) fn with_renames<'a>(
    added: &[(&'a Path, &FileState)],
    deleted: &[(&'a Path, &FileState)],
    content_before: &dyn Fn(&Path) -> Option<Vec<u8>>,
    content_now: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Vec<Found<'a>> {
    let mut origins = same_content(added, deleted);
    let taken: Vec<&Path> = origins.values().copied().collect();
    let added_left = added.iter().filter(|(path, _)| !origins.contains_key(path));
    let deleted_left = deleted.iter().filter(|(path, _)| !taken.contains(path));
    let added_left = sized(added_left);
    let deleted_left = sized(deleted_left);
    if added_left.len() * deleted_left.len() <= MOST_PAIRS {
        let pairs = Pairs {
            before: lines_of(&deleted_left, content_before),
            now: lines_of(&added_left, content_now),
        };
        origins.extend(pairs.most_similar());
    }
    let mut found = Vec::new();
    for (path, _) in added {
        let from = origins.get(path).copied();
        found.push(Found {
            path,
            kind: if from.is_some() {
                ChangeKind::Renamed
            } else {
                ChangeKind::Added
            },
            from,
        });
    }
    let taken: Vec<&Path> = origins.values().copied().collect();
    let gone = deleted.iter().filter(|(path, _)| !taken.contains(path));
    found.extend(gone.map(|(path, _)| Found {
        path,
        kind: ChangeKind::Deleted,
        from: None,
    }));
    found
}

/// Returns the origins of added files that have the content of a deleted one.
fn same_content<'a>(
    added: &[(&'a Path, &FileState)],
    deleted: &[(&'a Path, &FileState)],
) -> HashMap<&'a Path, &'a Path> {
    let mut by_content: HashMap<ContentDigest, Vec<&'a Path>> = HashMap::new();
    for (path, state) in deleted.iter().rev() {
        if let Some((digest, _)) = content_of(state) {
            by_content.entry(digest).or_default().push(path);
        }
    }
    let mut origins = HashMap::new();
    for (path, state) in added {
        let same = content_of(state).and_then(|(digest, _)| by_content.get_mut(&digest)?.pop());
        origins.extend(same.map(|from| (*path, from)));
    }
    origins
}

/// Returns the digest and the size of a file that is not empty.
fn content_of(state: &FileState) -> Option<(ContentDigest, u64)> {
    match state {
        FileState::File(content) if content.size > 0 => Some((content.digest, content.size)),
        FileState::File(_) | FileState::Link(_) | FileState::Special | FileState::Unreadable => {
            None
        }
    }
}

fn sized<'f, 'a: 'f>(files: impl Iterator<Item = &'f (&'a Path, &'f FileState)>) -> Vec<&'a Path> {
    let files = files.filter(|(_, state)| content_of(state).is_some());
    files.map(|(path, _)| *path).collect()
}

/// The lines of a file: by their digest, the bytes that all lines of this content have together.
struct Lines<'a> {
    path: &'a Path,
    size: u64,
    bytes: HashMap<u64, u64>,
}

fn lines_of<'a>(files: &[&'a Path], content: &dyn Fn(&Path) -> Option<Vec<u8>>) -> Vec<Lines<'a>> {
    let files = files.iter().filter_map(|path| {
        let content = content(path)?;
        let mut bytes: HashMap<u64, u64> = HashMap::new();
        for line in content.split_inclusive(|byte| *byte == b'\n') {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            *bytes.entry(hasher.finish()).or_default() += line.len() as u64;
        }
        Some(Lines {
            path,
            size: content.len() as u64,
            bytes,
        })
    });
    files.collect()
}

/// Files that may have been renamed.
struct Pairs<'a> {
    before: Vec<Lines<'a>>,
    now: Vec<Lines<'a>>,
}

impl<'a> Pairs<'a> {
    /// Returns the origins of files, the most similar first.
    fn most_similar(&self) -> HashMap<&'a Path, &'a Path> {
        let mut pairs = Vec::new();
        for now in &self.now {
            for before in &self.before {
                let percent = similarity(before, now);
                if percent >= SIMILAR {
                    pairs.push((percent, now.path, before.path));
                }
            }
        }
        pairs.sort_by_key(|(percent, now, before)| {
            let is_same_name = now.file_name() == before.file_name();
            (std::cmp::Reverse((*percent, is_same_name)), *now, *before)
        });
        let mut origins: HashMap<&Path, &Path> = HashMap::new();
        for (_, now, before) in pairs {
            let is_taken = origins.values().any(|taken| *taken == before);
            if !is_taken && !origins.contains_key(now) {
                origins.insert(now, before);
            }
        }
        origins
    }
}

/// Returns the bytes of equal lines, in percent of the larger file.
fn similarity(before: &Lines<'_>, now: &Lines<'_>) -> u64 {
    let shared = now.bytes.iter().map(|(line, bytes)| {
        let before = before.bytes.get(line).copied().unwrap_or_default();
        before.min(*bytes)
    });
    let shared: u64 = shared.sum();
    shared * 100 / before.size.max(now.size).max(1)
}
