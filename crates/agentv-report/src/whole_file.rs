//! A file that is there whole, or as it was before.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use agentv_core::ReportError;
use tempfile::NamedTempFile;

use crate::out_file::error_of;

/// Writes a file, which is replaced as a whole or not at all.
///
/// # Errors
/// When it cannot be written.
pub fn write_whole_file(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ReportError> {
    let written = WholeFile::create(path).and_then(|file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        write(&mut out)?;
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.finish()
    });
    written.map_err(|source| error_of(path, source))
}

/// A file that is written beside its place and put there in one step.
#[derive(Debug)]
pub(crate) struct WholeFile {
    /// Where the path leads, which is what is replaced.
    place: PathBuf,
    file: NamedTempFile,
}

impl WholeFile {
    /// Prepares to write to `path`; the folders it is in are created.
    pub(crate) fn create(path: &Path) -> io::Result<WholeFile> {
        let place = place_of(path)?;
        let file = temporary_beside(&place)?;
        Ok(WholeFile { place, file })
    }

    /// The same on another file, such as one on a full device.
    #[cfg(test)]
    pub(crate) fn onto(self, file: fs::File) -> WholeFile {
        let path = self.file.into_temp_path();
        WholeFile {
            file: NamedTempFile::from_parts(file, path),
            ..self
        }
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.as_file().sync_all()?;
        self.file
            .persist(&self.place)
            .map_err(|error| error.error)?;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Where a file is, links followed, or where it will be.
fn place_of(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path),
        Ok(_) => {
            let reason = "there is something of that name that is not a file";
            Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(folder_of(path))?;
            Ok(path.to_owned())
        }
        Err(error) => Err(error),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A file that is removed unless it is put in its place, as readable as one the user creates.
fn temporary_beside(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unfinished-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(place))
}
