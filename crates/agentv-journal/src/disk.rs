//! Folders and files that only their owner can read.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

use crate::atomic_file::TEMPORARY;
use crate::fault;

/// Creates the folder `path` and its missing parents, readable only by the user.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    fault::step();
    private_folder().recursive(true).create(path)
}

/// Creates the folder `path`, readable only by the user; fails if something has that name.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    fault::step();
    private_folder().create(path)
}

fn private_folder() -> DirBuilder {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "no modes here"))]
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Returns options that create a file readable only by the user.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty file and its missing parent folders, readable only by the user. Leaves an existing
/// file unchanged.
///
/// # Errors
/// Fails if it cannot be created.
pub fn create_private(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    create_folders(folder_of(path))?;
    private_file().append(true).open(path).map(drop)
}

/// Makes the names in a folder survive power loss, if the folder may be opened and its file system
/// can do that.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    fault::step();
    match File::open(path).and_then(|folder| folder.sync_all()) {
        Err(error) if cannot_be_synced(&error) => Ok(()),
        synced => synced,
    }
}

fn cannot_be_synced(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    )
}

/// Returns the folder that contains `path`.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Removes files that a killed writer could not rename. The caller must hold the folder's lock.
pub(crate) fn remove_temporary(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            fault::step();
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
