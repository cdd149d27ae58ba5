//! Replacing a file in one step.

use std::fs::{File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::disk::{folder_of, sync_folder};
use crate::fault;

/// The prefix of the names of files that exist only until they are renamed.
pub(crate) const TEMPORARY: &str = ".unfinished-";

const BUFFER: usize = 1 << 16;

/// The users who may read a file once it is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Its owner only.
    Owner,
    /// Everyone whom the umask permits.
    Umask,
}

/// New content for a file, written beside it and renamed over it in one step.
///
/// Every reader, during the write and after a crash, finds the complete old content or the complete
/// new content. Until it is committed, only its owner can read it; if it is dropped, nothing changes.
///
/// ```
/// use std::io::Write;
///
/// use agentv_journal::{Access, AtomicFile};
///
/// # fn main() -> std::io::Result<()> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("report.html");
/// std::fs::write(&path, "old")?;
/// let mut file = AtomicFile::create(&path, Access::Umask)?;
/// file.write_all(b"new")?;
/// assert_eq!(std::fs::read(&path)?, b"old");
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"new");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    writer: BufWriter<Temporary>,
    /// The permissions that the file gets when it is complete.
    permissions: Option<Permissions>,
    synced: bool,
}

/// The file that the content is written to.
#[derive(Debug)]
struct Temporary(NamedTempFile);

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // `NamedTempFile::write` would put the temporary name into every error.
        let file = self.0.as_file_mut();
        fault::write(file, bytes);
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl AtomicFile {
    /// Creates a temporary file beside `path`, whose folder must exist.
    ///
    /// # Errors
    /// Fails if the folder does not exist or cannot be written to.
    pub fn create(path: &Path, access: Access) -> io::Result<AtomicFile> {
        let folder = folder_of(path);
        let (file, permissions) = match access {
            Access::Owner => (temporary_in(folder)?, None),
            Access::Umask => {
                let file = temporary_with_umask(folder)?;
                // A killed process leaves the file behind, and others must not read it.
                let permissions = restrict_to_owner(file.as_file());
                (file, permissions)
            }
        };
        Ok(AtomicFile {
            path: path.to_owned(),
            writer: BufWriter::with_capacity(BUFFER, Temporary(file)),
            permissions,
            synced: false,
        })
    }

    /// Takes over a temporary file that is complete, in the folder of `path`.
    pub fn adopt(file: NamedTempFile, path: &Path) -> AtomicFile {
        AtomicFile {
            path: path.to_owned(),
            writer: BufWriter::with_capacity(0, Temporary(file)),
            permissions: None,
            synced: false,
        }
    }

    /// Returns the path that the file gets when it is committed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the content that was written so far survive power loss, still under its temporary name.
    ///
    /// Afterwards, [`AtomicFile::commit`] has only a rename left to do, so several files can be
    /// completed before the first of them is replaced.
    ///
    /// # Errors
    /// Fails if the content cannot be written.
    pub fn sync(&mut self) -> io::Result<()> {
        self.writer.flush()?;
        if !self.synced {
            fault::step();
            self.writer.get_ref().0.as_file().sync_all()?;
            self.synced = true;
        }
        Ok(())
    }

    /// Replaces the file at the path with the new content.
    ///
    /// # Errors
    /// Fails if the content cannot be written; then the old file is unchanged.
    pub fn commit(self) -> io::Result<()> {
        self.rename(|file, path| file.persist(path))
    }

    /// Gives the file its name, which nothing else may have.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] when there is something at the path, which is unchanged.
    pub fn commit_new(self) -> io::Result<()> {
        self.rename(|file, path| file.persist_noclobber(path))
    }

    fn rename(
        mut self,
        rename: impl FnOnce(NamedTempFile, &Path) -> Result<File, tempfile::PersistError>,
    ) -> io::Result<()> {
        self.sync()?;
        let (Temporary(file), _) = self.writer.into_parts();
        if let Some(permissions) = self.permissions {
            file.as_file().set_permissions(permissions)?;
        }
        fault::step();
        rename(file, &self.path).map_err(|error| error.error)?;
        sync_folder(folder_of(&self.path))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.synced = false;
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Creates a file that only its owner can read and that is removed when it is dropped.
pub(crate) fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    create_temporary(tempfile::Builder::new().prefix(TEMPORARY), folder)
}

/// Creates a temporary file with the permissions of any file that the user creates.
fn temporary_with_umask(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    create_temporary(builder.prefix(TEMPORARY), folder)
}

fn create_temporary(
    builder: &tempfile::Builder<'_, '_>,
    folder: &Path,
) -> io::Result<NamedTempFile> {
    fault::step();
    builder.tempfile_in(folder).map_err(without_name)
}

/// Removes the temporary name from an error, since it means nothing to the user.
fn without_name(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ (io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::PermissionDenied) => kind.into(),
        _ => error,
    }
}

/// Lets only the owner read a file; returns its previous permissions if they could be changed.
#[cfg(unix)]
fn restrict_to_owner(file: &File) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let previous = file.metadata().ok()?.permissions();
    file.set_permissions(Permissions::from_mode(0o600)).ok()?;
    Some(previous)
}

#[cfg(not(unix))]
fn restrict_to_owner(_: &File) -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_is_not_committed_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path, Access::Umask).unwrap();
        file.write_all(b"new").unwrap();
        file.sync().unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_new_file_does_not_replace_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.yaml");
        let create = |text: &[u8]| {
            let mut file = AtomicFile::create(&path, Access::Umask).unwrap();
            file.write_all(text).unwrap();
            file.commit_new()
        };
        create(b"first").unwrap();
        let refused = create(b"second").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_a_file_before_it_is_committed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        let path = folder.path().join("report.html");
        for (access, expected) in [(Access::Umask, mode(&usual)), (Access::Owner, 0o600)] {
            let mut file = AtomicFile::create(&path, access).unwrap();
            file.write_all(b"answers").unwrap();
            assert_eq!(mode(file.writer.get_ref().0.path()), 0o600);
            file.commit().unwrap();
            assert_eq!(mode(&path), expected);
        }
    }
}
