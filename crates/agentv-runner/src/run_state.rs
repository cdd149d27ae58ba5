//! What all parts of a run share.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use agentv_core::{ProviderError, Reporter, RunEvent, Stop};
use agentv_journal::{AppendError, FileError};

use crate::cache::store::Cache;
use crate::eval_file::SourceError;
use crate::journal::Journal;
use crate::run::Assignment;
use crate::schedule::budget::Budget;
use crate::schedule::lane::Lane;
use crate::schedule::stop::StopHandle;
use crate::trial::grade::Graders;

/// Who is told what happens.
pub type SharedReporter = Arc<Mutex<dyn Reporter + Send>>;

/// What all parts of a run share.
pub(crate) struct RunState {
    pub(crate) journal: Journal,
    pub(crate) graders: Arc<dyn Graders>,
    pub(crate) cache: Option<Cache>,
    pub(crate) budget: Budget,
    /// The targets, then those that only judge.
    pub(crate) lanes: Vec<Arc<Lane>>,
    pub(crate) assignment: Arc<Assignment>,
    pub(crate) stop: StopHandle,
    pub(crate) deadline: Option<Instant>,
    /// Whether judges are not asked about answers that a required evaluator has failed.
    pub(crate) stop_on_required: bool,
    pub(crate) include_trace: bool,
    pub(crate) dry_run: bool,
    pub(crate) dump_prompts: Option<PathBuf>,
    pub(crate) reporter: SharedReporter,
    pub(crate) error: Mutex<Option<RunError>>,
}

impl RunState {
    pub(crate) fn tell(&self, event: &RunEvent<'_>) {
        let told = self
            .reporter
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .on_event(event);
        if let Err(error) = told {
            self.fail(RunError::Report(error));
        }
    }

    /// Ends the run: the first error is the one that counts.
    pub(crate) fn fail(&self, error: RunError) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
        drop(first);
        self.stop.abort(Stop::Broken);
    }
}

/// Why a run could not go on.
#[derive(Debug)]
pub enum RunError {
    /// A record could not be written.
    Write(AppendError),
    /// What was done before could not be read.
    Read(FileError),
    /// A file that was checked cannot be read any more.
    Source(SourceError),
    /// A target cannot be asked.
    Prepare {
        /// The target.
        target: String,
        /// Why.
        error: ProviderError,
    },
    /// A prompt could not be written.
    Dump {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A report could not be written.
    Report(agentv_core::ReportError),
}

impl RunError {
    /// Whether something could not be written, rather than read or asked.
    pub fn is_about_writing(&self) -> bool {
        match self {
            RunError::Write(_) | RunError::Dump { .. } | RunError::Report(_) => true,
            RunError::Read(_) | RunError::Source(_) | RunError::Prepare { .. } => false,
        }
    }
}

impl From<FileError> for RunError {
    fn from(error: FileError) -> RunError {
        RunError::Read(error)
    }
}

impl std::fmt::Display for RunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RunError::Write(error) => error.fmt(f),
            RunError::Read(error) => error.fmt(f),
            RunError::Source(error) => error.fmt(f),
            RunError::Prepare { target, error } => write!(f, "target `{target}`: {error}"),
            RunError::Dump { folder, source } => {
                write!(
                    f,
                    "cannot write prompts to `{}`: {source}",
                    folder.display()
                )
            }
            RunError::Report(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}
