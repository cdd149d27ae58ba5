//! The files that a conversion writes, all of them or none.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use agentv_journal::{Access, AtomicFile};

use super::error::ConvertError;

/// A file that gets its name when the conversion is complete.
pub(super) struct NewFile(AtomicFile);

impl NewFile {
    pub(super) fn create(path: &Path) -> Result<NewFile, ConvertError> {
        let file = AtomicFile::create(path, Access::Umask);
        file.map(NewFile).map_err(failed(path))
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), ConvertError> {
        let written = self.0.write_all(text.as_bytes());
        written.map_err(failed(self.0.path()))
    }

    /// Writes everything to disk, still under the temporary name.
    fn complete(mut self) -> Result<NewFile, ConvertError> {
        self.0.sync().map_err(failed(self.0.path()))?;
        Ok(self)
    }

    /// Gives the file its name, which is another file's only with `force`.
    fn keep(self, force: bool) -> Result<PathBuf, ConvertError> {
        let NewFile(file) = self;
        let path = file.path().to_owned();
        let kept = if force {
            file.commit()
        } else {
            file.commit_new()
        };
        match kept {
            Ok(()) => Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(ConvertError::Exists(path))
            }
            Err(error) => Err(ConvertError::Io(path, error)),
        }
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> ConvertError {
    move |error| ConvertError::Io(path.to_owned(), error)
}

/// Gives the files their names: the sidecar first, because the eval file needs it.
pub(super) fn finish(
    main: NewFile,
    sidecar: Option<NewFile>,
    force: bool,
    written: &mut Vec<PathBuf>,
) -> Result<(), ConvertError> {
    let main = main.complete()?;
    let Some(sidecar) = sidecar else {
        written.push(main.keep(force)?);
        return Ok(());
    };
    let sidecar = sidecar.complete()?;
    let is_new = std::fs::symlink_metadata(sidecar.0.path()).is_err();
    let sidecar = sidecar.keep(force)?;
    match main.keep(force) {
        Ok(main) => {
            written.extend([main, sidecar]);
            Ok(())
        }
        Err(error) => {
            if is_new {
                // Nothing is left behind; the first error is the one to report.
                let _ = std::fs::remove_file(sidecar);
            }
            Err(error)
        }
    }
}
