//! The errors of an index.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// An error while an index is read or written.
#[derive(Debug, Error)]
#[error("cannot {action} `{}`: {source}", .path.display())]
pub struct IndexError {
    action: &'static str,
    path: PathBuf,
    #[source]
    source: io::Error,
}

impl IndexError {
    /// Returns a function that adds the action and the file to an error of the system.
    pub(crate) fn of(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
        let path = path.to_owned();
        move |source| IndexError {
            action,
            path,
            source,
        }
    }
}
