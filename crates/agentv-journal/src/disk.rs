//! Private folders and files, and replacing a file in one step.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, IntoInnerError, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::fault;

/// A file or folder that could not be read or written.
#[derive(Debug)]
pub struct FileError {
    /// What was tried: `read`, `create`, …
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// Why it failed.
    pub source: io::Error,
}

impl FileError {
    /// A closure for `map_err` that says what was tried, and with what.
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        move |source| FileError {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FileError {
            action,
            path,
            source,
        } = self;
        let cause = cause(source);
        write!(f, "cannot {action} `{}`: {cause}{source}", path.display())
    }
}

/// What the system's words mean to somebody who does not know them.
pub(crate) fn cause(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full: ",
        io::ErrorKind::QuotaExceeded => "the disk quota is used up: ",
        _ => "",
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// How the names of files begin that exist only until they are renamed.
const TEMPORARY: &str = ".unfinished-";

/// Creates `path` and what is missing above it, for the user alone.
pub(crate) fn create_folders(path: &Path) -> io::Result<()> {
    fault::step();
    private_folder().recursive(true).create(path)
}

/// Creates the one folder `path`, for the user alone; fails where something has that name.
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

/// Options that create a file for the user alone.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty file and the folders that are missing above it, for the user alone; leaves one
/// that is there as it is.
///
/// # Errors
/// When it cannot be created.
pub fn create_private(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    create_folders(folder_of(path))?;
    private_file().append(true).open(path).map(drop)
}

/// Makes the names in a folder survive power loss.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        fault::step();
        File::open(path)?.sync_all()?;
    }
    Ok(())
}

/// New content for a file, which takes the old one's place in one step: whoever reads meanwhile, and
/// whoever reads after a crash, finds the old content or the new, whole.
#[derive(Debug)]
pub(crate) struct Replacement {
    path: PathBuf,
    writer: BufWriter<Temporary>,
}

/// The file that a replacement is written to.
#[derive(Debug)]
struct Temporary(NamedTempFile);

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Not by way of its name, which would stand in every error.
        let file = self.0.as_file_mut();
        fault::write(file, bytes);
        file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Replacement {
    pub(crate) fn of(path: &Path) -> io::Result<Replacement> {
        let temporary = Temporary(temporary_in(folder_of(path))?);
        Ok(Replacement {
            path: path.to_owned(),
            writer: BufWriter::with_capacity(1 << 18, temporary),
        })
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes)
    }

    /// Puts the content in its place, safe from power loss.
    pub(crate) fn commit(self) -> io::Result<()> {
        let Temporary(file) = self
            .writer
            .into_inner()
            .map_err(IntoInnerError::into_error)?;
        fault::step();
        file.as_file().sync_all()?;
        fault::step();
        file.persist(&self.path).map_err(|error| error.error)?;
        sync_folder(folder_of(&self.path))
    }
}

/// A file for the user alone that is removed when it is dropped.
pub(crate) fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    fault::step();
    tempfile::Builder::new()
        .prefix(TEMPORARY)
        .tempfile_in(folder)
        .map_err(without_name)
}

/// An error of a temporary file without its name, which tells nobody anything.
fn without_name(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ (io::ErrorKind::StorageFull
        | io::ErrorKind::QuotaExceeded
        | io::ErrorKind::ReadOnlyFilesystem
        | io::ErrorKind::PermissionDenied) => kind.into(),
        _ => error,
    }
}

/// The folder that `path` is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Removes what a killed writer did not come to rename. Only for who holds the folder's lock.
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
