//! Files that the user names to be written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agentv_core::ReportError;
use agentv_journal::{Access, AtomicFile};

/// Writes a file, which is replaced as a whole or not at all; missing folders are created.
///
/// # Errors
/// Fails if it cannot be written; then an old file is unchanged.
pub fn replace_file(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ReportError> {
    let written = open_destination(path).and_then(|mut file| {
        write(&mut file)?;
        file.commit()
    });
    written.map_err(|source| error_of(path, source))
}

/// Checks that a file can be written to `path`, and creates missing folders.
///
/// # Errors
/// The same as writing it.
pub fn check_destination(path: &Path) -> Result<(), ReportError> {
    let opened = open_destination(path).map(drop);
    opened.map_err(|source| error_of(path, source))
}

/// Prepares to replace the file that `path` leads to, and creates missing folders.
pub(crate) fn open_destination(path: &Path) -> io::Result<AtomicFile> {
    AtomicFile::create(&resolve(path)?, Access::Umask)
}

/// Returns the path of a file with links followed, or the given path if there is no file.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => fs::canonicalize(path),
        Ok(found) if found.is_dir() => {
            let reason = "it is a folder; name a file";
            Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
        }
        Ok(_) => {
            let reason = "it is a device or a pipe; name a regular file";
            Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // The parent of a bare name is empty, which creates nothing.
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            Ok(path.to_owned())
        }
        Err(error) => Err(error),
    }
}

/// Returns the error of a file that cannot be written.
pub(crate) fn error_of(path: &Path, source: io::Error) -> ReportError {
    ReportError {
        to: path.display().to_string(),
        source,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

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

    #[test]
    fn a_link_stays_and_the_file_it_leads_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        replace_file(&link, &mut |out| out.write_all(b"new")).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }
}
