//! The errors of the view.

use agentv_journal::FileError;
use thiserror::Error;

use crate::index::IndexError;

/// A reason why something cannot be shown.
#[derive(Debug, Error)]
pub enum ViewError {
    /// There is no such run.
    #[error("run `{0}` not found")]
    NoRun(String),
    /// There is no such trial.
    #[error("the run has no trial number {0}")]
    NoTrial(u32),
    /// The request is not understood.
    #[error("{0}")]
    Request(String),
    /// A file of a run is a link, which could lead outside of the results folder.
    #[error("`{0}` is a link: the view reads only files inside the results folder")]
    Link(String),
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A file of a run cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The error of the system.
        #[source]
        source: std::io::Error,
    },
}
