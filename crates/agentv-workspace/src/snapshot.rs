//! The state of a workspace at one moment.

use std::collections::HashMap;
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
    pub(crate) files: HashMap<PathBuf, Recorded>,
    pub(crate) taken: SystemTime,
    /// The folder of the template.
    template: PathBuf,
}

/// A file as a snapshot found it.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) state: FileState,
    /// The stamp of a regular file.
    pub(crate) stamp: Option<Stamp>,
    /// A file elsewhere with the same content.
    copy: ContentCopy,
    /// The position among the files of the snapshot.
    pub(crate) position: usize,
}

/// A file elsewhere with the content of a file.
#[derive(Debug)]
pub(crate) enum ContentCopy {
    /// There is none.
    None,
    /// The file of the same path in the template.
    InTemplate,
    /// A copy that was made for the snapshot.
    At(PathBuf),
}

impl Snapshot {
    /// Makes a snapshot without files.
    pub(crate) fn empty(template: &Path) -> Snapshot {
        Snapshot {
            files: HashMap::new(),
            taken: SystemTime::now(),
            template: template.to_owned(),
        }
    }

    /// Adds the file at `path`, once.
    pub(crate) fn add(
        &mut self,
        path: PathBuf,
        state: FileState,
        stamp: Option<Stamp>,
        copy: ContentCopy,
    ) {
        let recorded = Recorded {
            state,
            stamp,
            copy,
            position: self.files.len(),
        };
        self.files.insert(path, recorded);
    }

    /// Returns a file elsewhere that has the content of the file at `path`.
    pub(crate) fn copy_of(&self, path: &Path) -> Option<PathBuf> {
        match &self.files.get(path)?.copy {
            ContentCopy::None => None,
            ContentCopy::InTemplate => Some(self.template.join(path)),
            ContentCopy::At(copy) => Some(copy.clone()),
        }
    }
}

/// Texts that are not in the template are copied, so that a diff can show their previous content, but
/// no more than this: `setup` may install thousands of packages.
const COPIED_FILES: usize = 1_000;
const COPIED_SIZE: u64 = 16 << 20;
const LARGEST_COPY: u64 = 1 << 20;

/// Finds out whether a file is one that the caller already knows.
pub(crate) trait KnownFiles {
    /// Returns the content of the file at `path`, which the template has, too, if its stamp proves it.
    fn known(&self, path: &Path, stamp: &Stamp) -> Option<FileContent>;
    /// Returns true if the template has a file with this content at this path.
    fn is_in_template(&self, path: &Path, content: &FileContent) -> bool;
}

/// Takes a snapshot of a folder. Copies go to the folder `copies`.
pub(crate) fn take(
    folder: &Path,
    template: &Path,
    known: &impl KnownFiles,
    copies: &Path,
) -> Result<Snapshot, WorkspaceError> {
    let mut snapshot = Snapshot::empty(template);
    let mut room = CopyRoom::new(copies);
    walk(folder, false, |entry| {
        record(&mut snapshot, folder, entry, known, &mut room)
    })?;
    Ok(snapshot)
}

fn record(
    snapshot: &mut Snapshot,
    folder: &Path,
    entry: Entry,
    known: &impl KnownFiles,
    room: &mut CopyRoom<'_>,
) -> Result<(), WorkspaceError> {
    let metadata = match entry.kind {
        EntryKind::File(metadata) => metadata,
        other => {
            if let Some(state) = state_without_content(other) {
                snapshot.add(entry.path, state, None, ContentCopy::None);
            }
            return Ok(());
        }
    };
    let stamp = Stamp::of(&metadata);
    if let Some(content) = known.known(&entry.path, &stamp) {
        let state = FileState::File(content);
        snapshot.add(entry.path, state, Some(stamp), ContentCopy::InTemplate);
        return Ok(());
    }
    let place = folder.join(&entry.path);
    let state = file_state(&place, &metadata);
    let copy = match &state {
        FileState::File(content) if known.is_in_template(&entry.path, content) => {
            ContentCopy::InTemplate
        }
        FileState::File(content) => room.copy(&place, content.size)?,
        FileState::Link(_) | FileState::Special | FileState::Unreadable => ContentCopy::None,
    };
    snapshot.add(entry.path, state, Some(stamp), copy);
    Ok(())
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

    fn copy(&mut self, file: &Path, size: u64) -> Result<ContentCopy, WorkspaceError> {
        if self.files >= COPIED_FILES || size > LARGEST_COPY || self.size + size > COPIED_SIZE {
            return Ok(ContentCopy::None);
        }
        let Ok(Some(bytes)) = content(file, LARGEST_COPY) else {
            return Ok(ContentCopy::None);
        };
        let copy = self.folder.join(self.files.to_string());
        fs::write(&copy, bytes).map_err(WorkspaceError::at("write", &copy))?;
        self.files += 1;
        self.size += size;
        Ok(ContentCopy::At(copy))
    }
}
