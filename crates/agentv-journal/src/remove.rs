//! The removal of a run folder.

use std::fs;
use std::io;
use std::path::Path;

use crate::fault;
use crate::file_error::FileError;
use crate::folder::{FolderError, RunWriter};

/// The beginning of the name of a folder that is being removed, which is hidden from lists of runs.
const REMOVED: &str = ".removed-";

impl RunWriter {
    /// Removes the folder with everything in it. The folder first gets a hidden name, so that a process
    /// that is killed meanwhile leaves no half of a run; [`remove_leftovers`] removes the rest.
    ///
    /// # Errors
    /// Fails if it cannot be renamed or removed.
    pub fn remove(self) -> Result<(), FolderError> {
        let path = self.folder().path();
        let hidden = path.with_file_name(format!("{REMOVED}{}", self.folder().id()));
        fault::step();
        fs::rename(path, &hidden).map_err(FileError::of("remove", path))?;
        fault::step();
        Ok(fs::remove_dir_all(&hidden).map_err(FileError::of("remove", &hidden))?)
    }
}

/// Removes what is left of folders whose removal was interrupted.
///
/// # Errors
/// Fails if `results` cannot be listed or a folder cannot be removed. A missing folder is fine.
pub fn remove_leftovers(results: &Path) -> Result<(), FileError> {
    let entries = match fs::read_dir(results) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(FileError::of("list", results)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(FileError::of("list", results))?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && entry.file_name().to_string_lossy().starts_with(REMOVED) {
            let path = entry.path();
            fault::step();
            fs::remove_dir_all(&path).map_err(FileError::of("remove", &path))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunFolder, list_runs};

    #[test]
    fn a_removed_run_leaves_nothing_and_a_locked_one_stays() {
        let results = tempfile::tempdir().unwrap();
        let now = "2026-11-15T10:43:07Z".parse().unwrap();
        let folder = RunFolder::create_at(results.path(), now).unwrap();
        let other = RunFolder::create_at(results.path(), now).unwrap();
        let writer = folder.write(now).unwrap();
        assert!(matches!(folder.write(now), Err(FolderError::Locked { .. })));
        writer.remove().unwrap();
        let left: Vec<_> = fs::read_dir(results.path()).unwrap().flatten().collect();
        assert_eq!((left.len(), left[0].path()), (1, other.path().to_owned()));
    }

    #[test]
    fn the_rest_of_an_interrupted_removal_is_hidden_and_removed_later() {
        let results = tempfile::tempdir().unwrap();
        let hidden = results.path().join(".removed-2026-11-15T10-43-07Z-0000");
        fs::create_dir(&hidden).unwrap();
        fs::write(hidden.join("results.jsonl"), "{}\n").unwrap();
        assert!(list_runs(results.path()).unwrap().is_empty());
        remove_leftovers(results.path()).unwrap();
        assert!(!hidden.exists());
        remove_leftovers(&results.path().join("missing")).unwrap();
    }
}
