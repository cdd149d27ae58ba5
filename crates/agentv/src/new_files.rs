//! Writes the files of a new project.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// A file of a project: its path and its content.
pub(crate) type NewFile = (&'static str, &'static str);

/// Writes a file unless it exists. Returns true if it did.
pub(crate) fn create(path: &Path, content: &str) -> io::Result<bool> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match File::create_new(path) {
        Ok(mut file) => file.write_all(content.as_bytes()).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}
