//! Removes folders, whatever an agent has put into them.

use std::fs::{self, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

use crate::error::WorkspaceError;
use crate::tree::allow_owner;

/// Folders are removed at this depth at most. Deeper ones are moved up first, so that neither the
/// length of a path nor the number of open files grows with the nesting.
const DEEPEST: usize = 8;

/// Removes a folder with everything in it. Links are removed, not followed, and nothing but folders
/// gets other permissions: a file may be a hard link to one elsewhere. A missing folder is fine.
///
/// # Errors
/// Fails if something could not be removed. Everything else is removed first.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), WorkspaceError> {
    let mut removal = Removal {
        top: folder.to_owned(),
        moved: 0,
        later: Vec::new(),
        first_error: None,
    };
    match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Ok(metadata) if metadata.is_dir() => {}
        _ => return fs::remove_file(folder).map_err(WorkspaceError::at("remove", folder)),
    }
    removal.empty(folder, 0);
    while let Some(moved) = removal.later.pop() {
        removal.empty(&moved, 1);
        removal.note(fs::remove_dir(&moved), &moved);
    }
    removal.note(fs::remove_dir(folder), folder);
    removal.first_error.map_or(Ok(()), Err)
}

struct Removal {
    top: PathBuf,
    moved: u64,
    /// Folders that were moved to the top, not yet removed.
    later: Vec<PathBuf>,
    first_error: Option<WorkspaceError>,
}

impl Removal {
    fn empty(&mut self, folder: &Path, depth: usize) {
        let entries = match entries(folder) {
            Ok(entries) => entries,
            Err(error) => return self.note(Err(error), folder),
        };
        for entry in entries.flatten() {
            let path = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.note(fs::remove_file(&path), &path);
            } else if depth < DEEPEST {
                self.empty(&path, depth + 1);
                self.note(fs::remove_dir(&path), &path);
            } else {
                self.move_up(&path);
            }
        }
    }

    fn move_up(&mut self, folder: &Path) {
        // Moving a folder changes its `..`, so its owner must be allowed to write to it.
        let _ = allow_owner(folder);
        loop {
            let place = self.top.join(format!(".removed-{}", self.moved));
            self.moved += 1;
            if fs::symlink_metadata(&place).is_ok() {
                continue;
            }
            match fs::rename(folder, &place) {
                Ok(()) => self.later.push(place),
                Err(error) => self.note(Err(error), folder),
            }
            return;
        }
    }

    fn note(&mut self, result: io::Result<()>, path: &Path) {
        match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound && self.first_error.is_none() => {
                self.first_error = Some(WorkspaceError::at("remove", path)(error));
            }
            _ => {}
        }
    }
}

/// Lists a folder whose entries are about to be removed.
fn entries(folder: &Path) -> io::Result<ReadDir> {
    // Removing entries takes the permission to write, listing them the permission to read.
    let _ = allow_owner(folder);
    fs::read_dir(folder)
}
