//! The error that ends a whole run.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use agentv_core::{ProviderError, ReportError, Stop};
use agentv_journal::{AppendError, FileError};

use crate::case_source::SourceError;
use crate::schedule::stop::StopHandle;

/// An error that ends a whole run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A record could not be written.
    #[error(transparent)]
    Write(AppendError),
    /// The records of a previous run could not be read.
    #[error(transparent)]
    Read(#[from] FileError),
    /// An eval file that was checked can no longer be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A target cannot be asked.
    #[error("target `{target}`: {error}")]
    Prepare {
        /// The target.
        target: String,
        /// The reason.
        error: ProviderError,
    },
    /// A prompt could not be written.
    #[error("cannot write prompts to `{}`: {source}", folder.display())]
    Dump {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file that belongs to an answer could not be written.
    #[error("cannot write a file of the answer to the run folder: {source}")]
    Artifact {
        /// The error of the system.
        source: std::io::Error,
    },
    /// A report could not be written.
    #[error(transparent)]
    Report(ReportError),
    /// The engine that executes trials elsewhere cannot be used.
    #[error(transparent)]
    Engine(Box<dyn std::error::Error + Send + Sync>),
}

impl RunError {
    /// Returns true if something could not be written, rather than read or asked.
    pub fn is_about_writing(&self) -> bool {
        match self {
            RunError::Write(_)
            | RunError::Dump { .. }
            | RunError::Artifact { .. }
            | RunError::Report(_) => true,
            RunError::Read(_)
            | RunError::Source(_)
            | RunError::Prepare { .. }
            | RunError::Engine(_) => false,
        }
    }
}

/// The first error that ended a run, shared by all of its parts.
#[derive(Debug)]
pub(crate) struct Failure {
    stop: StopHandle,
    first: Mutex<Option<RunError>>,
}

impl Failure {
    pub(crate) fn new(stop: StopHandle) -> Failure {
        Failure {
            stop,
            first: Mutex::new(None),
        }
    }

    /// Ends the run. Only the first error is kept.
    pub(crate) fn set(&self, error: RunError) {
        self.lock().get_or_insert(error);
        self.stop.abort(Stop::Broken);
    }

    /// Returns true if there was an error.
    pub(crate) fn is_set(&self) -> bool {
        self.lock().is_some()
    }

    /// Takes the error out.
    pub(crate) fn take(&self) -> Option<RunError> {
        self.lock().take()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<RunError>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
