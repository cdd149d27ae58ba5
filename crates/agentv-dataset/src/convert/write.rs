//! New files that appear whole or not at all.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::ConvertError;

/// A file under a temporary name beside its place.
pub(super) struct NewFile {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl NewFile {
    pub(super) fn create(path: &Path) -> Result<NewFile, ConvertError> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
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
    let sidecar_path = sidecar.as_ref().map(|(path, _)| path.clone());
    for (path, file) in sidecar.into_iter().chain([main]) {
        let kept = if force {
            file.persist(&path)
        } else {
            file.persist_noclobber(&path)
        };
        kept.map_err(|error| match error.error.kind() {
            std::io::ErrorKind::AlreadyExists => ConvertError::Exists(path.clone()),
            _ => ConvertError::Io(path.clone(), error.error),
        })?;
        written.insert(0, path);
    }
    debug_assert!(written.len() == 1 + usize::from(sidecar_path.is_some()));
    Ok(())
}
