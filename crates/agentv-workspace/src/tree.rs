//! Walks a folder without following links.

use std::fs::{self, DirEntry, Metadata, ReadDir};
use std::io;
use std::path::{Path, PathBuf};

/// The name of a repository's own folder (or file, in a submodule).
pub(crate) const GIT: &str = ".git";

/// One entry of a folder that is being walked.
pub(crate) struct Entry {
    /// The path below the folder.
    pub(crate) path: PathBuf,
    pub(crate) kind: EntryKind,
}

/// The kinds of entries.
pub(crate) enum EntryKind {
    Folder,
    File(Metadata),
    /// The target, as written.
    Link(PathBuf),
    Special,
    Unreadable,
}

/// Visits every entry below `root`: a folder before its content, in no particular order otherwise.
/// With `repositories` false, entries called `.git` are skipped, with all that is in them.
///
/// # Errors
/// Stops at the first error of `visit`. Entries that cannot be read are visited as
/// [`EntryKind::Unreadable`].
pub(crate) fn walk<E>(
    root: &Path,
    repositories: bool,
    mut visit: impl FnMut(Entry) -> Result<(), E>,
) -> Result<(), E> {
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = list(&root.join(&folder)) else {
            visit(Entry {
                path: folder,
                kind: EntryKind::Unreadable,
            })?;
            continue;
        };
        for entry in entries {
            let Ok(entry) = entry else { continue };
            if !repositories && entry.file_name() == GIT {
                continue;
            }
            let path = folder.join(entry.file_name());
            let kind = kind(&entry).unwrap_or(EntryKind::Unreadable);
            if matches!(kind, EntryKind::Folder) {
                folders.push(path.clone());
            }
            visit(Entry { path, kind })?;
        }
    }
    Ok(())
}

fn kind(entry: &DirEntry) -> io::Result<EntryKind> {
    // Does not follow links.
    let metadata = entry.metadata()?;
    Ok(if metadata.is_dir() {
        EntryKind::Folder
    } else if metadata.is_symlink() {
        EntryKind::Link(fs::read_link(entry.path())?)
    } else if metadata.is_file() {
        EntryKind::File(metadata)
    } else {
        EntryKind::Special
    })
}

/// Lists a folder. If its owner may not, the permission is restored first: an agent cannot hide files
/// by taking it away.
fn list(folder: &Path) -> io::Result<ReadDir> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            allow_owner(folder)?;
            fs::read_dir(folder)
        }
        listed => listed,
    }
}

/// Gives the owner of a folder all permissions for it. Links are refused.
pub(crate) fn allow_owner(folder: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Err(io::Error::other("not a folder"));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = metadata.permissions().mode() | 0o700;
        fs::set_permissions(folder, fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}
