//! A file that is there whole, or as it was before.

use std::fs::{self, File, Permissions};
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

/// Says before there is anything to write whether a file could be written to `path`; the folders it is
/// in are created.
///
/// # Errors
/// As writing it would have.
pub fn check_destination(path: &Path) -> Result<(), ReportError> {
    let tried = WholeFile::create(path).map(drop);
    tried.map_err(|source| error_of(path, source))
}

/// A file that is written beside its place and put there in one step.
#[derive(Debug)]
pub(crate) struct WholeFile {
    /// Where the path leads, which is what is replaced.
    place: PathBuf,
    file: NamedTempFile,
    /// Who may read it once it is in its place; until then it is for the user alone.
    readable: Option<Permissions>,
}

impl WholeFile {
    /// Prepares to write to `path`; the folders it is in are created.
    pub(crate) fn create(path: &Path) -> io::Result<WholeFile> {
        let place = place_of(path)?;
        let file = temporary_beside(&place)?;
        // A killed process leaves this file behind, with what others need not read.
        let readable = make_private(file.as_file());
        Ok(WholeFile {
            place,
            file,
            readable,
        })
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
        if let Some(readable) = self.readable {
            self.file.as_file().set_permissions(readable)?;
        }
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
        Ok(found) if found.is_dir() => {
            let reason = "it is a folder; name a file, such as one in it";
            Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
        }
        Ok(_) => {
            let reason = "it is a device or a pipe, which no file can replace; name a file";
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

/// Leaves a file to the user alone; gives back who could read it, where that could be changed.
#[cfg(unix)]
fn make_private(file: &File) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    let usual = file.metadata().ok()?.permissions();
    file.set_permissions(Permissions::from_mode(0o600)).ok()?;
    Some(usual)
}

#[cfg(not(unix))]
fn make_private(_: &File) -> Option<Permissions> {
    None
}

/// A file that is removed unless it is put in its place, as readable as one the user creates.
fn temporary_beside(place: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unfinished-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder_of(place))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_is_for_the_user_alone_until_it_is_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        let path = folder.path().join("report.html");
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"answers").unwrap();
        assert_eq!(mode(file.file.path()), 0o600);
        file.finish().unwrap();
        assert_eq!(mode(&path), mode(&usual));
        assert_eq!(fs::read(&path).unwrap(), b"answers");
    }

    #[test]
    fn a_destination_is_tried_and_nothing_is_left_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/report.html");
        check_destination(&path).unwrap();
        assert_eq!(fs::read_dir(folder.path().join("new")).unwrap().count(), 0);
        let refused = check_destination(folder.path()).unwrap_err().to_string();
        assert!(refused.contains("it is a folder"), "{refused}");
        let refused = check_destination(Path::new("/dev/null")).unwrap_err();
        assert!(refused.to_string().contains("a device"), "{refused}");
    }
}
