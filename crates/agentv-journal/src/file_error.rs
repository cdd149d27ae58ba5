//! The error of a file or folder that cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file or folder that could not be read or written.
#[derive(Debug, Error)]
#[error("cannot {action} `{}`: {}{source}", .path.display(), cause(.source))]
pub struct FileError {
    /// The operation that failed: `read`, `create`, …
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The reason for the failure.
    pub source: io::Error,
}

impl FileError {
    /// Returns a closure for `map_err` that adds the operation and its path.
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
        move |source| FileError {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

/// Returns a plain explanation to put before the system's message.
pub(crate) fn cause(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full: ",
        io::ErrorKind::QuotaExceeded => "the disk quota is used up: ",
        _ => "",
    }
}
