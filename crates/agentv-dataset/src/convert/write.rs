//! New files that appear whole or not at all.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::ConvertError;
use crate::project::folder_of;

/// A file under a temporary name beside its place.
pub(super) struct NewFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl NewFile {
    pub(super) fn create(path: &Path) -> Result<NewFile, ConvertError> {
        let folder = folder_of(path);
        let mut builder = tempfile::Builder::new();
        builder.prefix(".agentv-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any program creates files: what the umask leaves of this.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder
            .tempfile_in(folder)
            .map_err(|error| ConvertError::Io(path.to_owned(), error))?;
        Ok(NewFile {
            path: path.to_owned(),
            file: BufWriter::new(file),
        })
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), ConvertError> {
        self.file
            .write_all(text.as_bytes())
            .map_err(|error| ConvertError::Io(self.path.clone(), error))
    }

    /// Everything on disk, still under the temporary name.
    fn complete(self) -> Result<(PathBuf, NamedTempFile), ConvertError> {
        let NewFile { path, file } = self;
        let refused = |error| ConvertError::Io(path.clone(), error);
        let file = file
            .into_inner()
            .map_err(|error| refused(error.into_error()))?;
        file.as_file().sync_all().map_err(refused)?;
        Ok((path, file))
    }
}

/// Gives the files their names: the sidecar first, because the eval file is nothing without it.
pub(super) fn finish(
    main: NewFile,
    sidecar: Option<NewFile>,
    force: bool,
    written: &mut Vec<PathBuf>,
) -> Result<(), ConvertError> {
    let main = main.complete()?;
    let sidecar = sidecar.map(NewFile::complete).transpose()?;
    let Some(sidecar) = sidecar else {
        written.push(keep(main, force)?);
        return Ok(());
    };
    let is_new = std::fs::symlink_metadata(&sidecar.0).is_err();
    let sidecar = keep(sidecar, force)?;
    match keep(main, force) {
        Ok(main) => {
            written.extend([main, sidecar]);
            Ok(())
        }
        Err(error) => {
            if is_new {
                // Nothing is left behind; the error that stands in the way is the one to tell.
                let _ = std::fs::remove_file(sidecar);
            }
            Err(error)
        }
    }
}

fn keep((path, file): (PathBuf, NamedTempFile), force: bool) -> Result<PathBuf, ConvertError> {
    let kept = if force {
        file.persist(&path)
    } else {
        file.persist_noclobber(&path)
    };
    match kept {
        Ok(_) => Ok(path),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(ConvertError::Exists(path))
        }
        Err(error) => Err(ConvertError::Io(path, error.error)),
    }
}
