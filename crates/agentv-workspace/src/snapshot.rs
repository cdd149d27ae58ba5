//! The state of a workspace at one moment.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::WorkspaceError;
use crate::file_state::{FileContent, FileState, Stamp, is_executable};
use crate::read::{content, digest_of_state};
use crate::tree::{Entry, EntryKind, walk};

/// The state of `work/` at one moment.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) files: BTreeMap<PathBuf, Recorded>,
    pub(crate) taken: SystemTime,
}

/// A file as a snapshot found it.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) state: FileState,
    /// The stamp of a regular file.
    pub(crate) stamp: Option<Stamp>,
    /// A file elsewhere with the same content: in the template, or a copy.
    pub(crate) copy: Option<PathBuf>,
}

/// Texts that are not in the template are copied, so that a diff can show their previous content, but
/// no more than this: `setup` may install thousands of packages.
const COPIED_FILES: usize = 1_000;
const COPIED_SIZE: u64 = 16 << 20;
const LARGEST_COPY: u64 = 1 << 20;

/// Finds out whether a file is one that the caller already knows.
pub(crate) trait KnownFiles {
    /// Returns the content of the file at `path` if its stamp proves it, and a copy of it.
    fn known(&self, path: &Path, stamp: &Stamp) -> Option<(FileContent, PathBuf)>;
    /// Returns the copy of a file with this content at this path.
    fn copy(&self, path: &Path, content: &FileContent) -> Option<PathBuf>;
}

/// Takes a snapshot of a folder. Copies go to the folder `copies`.
pub(crate) fn take(
    folder: &Path,
    known: &impl KnownFiles,
    copies: &Path,
) -> Result<Snapshot, WorkspaceError> {
    let mut snapshot = Snapshot {
        files: BTreeMap::new(),
        taken: SystemTime::now(),
    };
    let mut room = CopyRoom::new(copies);
    walk(folder, false, |entry| {
        if let Some((path, recorded)) = record(folder, entry, known, &mut room)? {
            snapshot.files.insert(path, recorded);
        }
        Ok::<(), WorkspaceError>(())
    })?;
    Ok(snapshot)
}

fn record(
    folder: &Path,
    entry: Entry,
    known: &impl KnownFiles,
    room: &mut CopyRoom<'_>,
) -> Result<Option<(PathBuf, Recorded)>, WorkspaceError> {
    let metadata = match entry.kind {
        EntryKind::File(metadata) => metadata,
        other => {
            let recorded = state_without_content(other).map(|state| Recorded {
                state,
                stamp: None,
                copy: None,
            });
            return Ok(recorded.map(|recorded| (entry.path, recorded)));
        }
    };
    let stamp = Stamp::of(&metadata);
    if let Some((content, copy)) = known.known(&entry.path, &stamp) {
        let recorded = Recorded {
            state: FileState::File(content),
            stamp: Some(stamp),
            copy: Some(copy),
        };
        return Ok(Some((entry.path, recorded)));
    }
    let place = folder.join(&entry.path);
    let state = file_state(&place, &metadata);
    let copy = match &state {
        FileState::File(content) => match known.copy(&entry.path, content) {
            Some(copy) => Some(copy),
            None => room.copy(&place, content.size)?,
        },
        FileState::Link(_) | FileState::Special | FileState::Unreadable => None,
    };
    let recorded = Recorded {
        state,
        stamp: Some(stamp),
        copy,
    };
    Ok(Some((entry.path, recorded)))
}

/// Returns the state of an entry that is not a regular file, or `None` for a folder.
pub(crate) fn state_without_content(kind: EntryKind) -> Option<FileState> {
    match kind {
        EntryKind::Folder | EntryKind::File(_) => None,
        EntryKind::Link(target) => Some(FileState::Link(target)),
        EntryKind::Special => Some(FileState::Special),
        EntryKind::Unreadable => Some(FileState::Unreadable),
    }
}

/// Returns the state of a regular file, which is read for it.
pub(crate) fn file_state(place: &Path, metadata: &Metadata) -> FileState {
    match digest_of_state(place, metadata) {
        Ok(digest) => FileState::File(FileContent {
            digest,
            size: metadata.len(),
            executable: is_executable(metadata),
        }),
        Err(_) => FileState::Unreadable,
    }
}

/// The copies of a snapshot, and the room that is left for more.
struct CopyRoom<'a> {
    folder: &'a Path,
    files: usize,
    size: u64,
}

impl CopyRoom<'_> {
    fn new(folder: &Path) -> CopyRoom<'_> {
        CopyRoom {
            folder,
            files: 0,
            size: 0,
        }
    }

    fn copy(&mut self, file: &Path, size: u64) -> Result<Option<PathBuf>, WorkspaceError> {
        if self.files >= COPIED_FILES || size > LARGEST_COPY || self.size + size > COPIED_SIZE {
            return Ok(None);
        }
        let Ok(Some(bytes)) = content(file, LARGEST_COPY) else {
            return Ok(None);
        };
        let copy = self.folder.join(self.files.to_string());
        fs::write(&copy, bytes).map_err(WorkspaceError::at("write", &copy))?;
        self.files += 1;
        self.size += size;
        Ok(Some(copy))
    }
}
