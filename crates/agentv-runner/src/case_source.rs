//! The cases of a run's eval files, as a stream.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalCase, EvalFile, EvaluatorError};
use agentv_journal::FileError;

/// A source of cases. They are streamed, as often as needed, and never all kept.
pub trait CaseSource: Send + Sync {
    /// Visits every case of every file in order, until `visit` breaks.
    ///
    /// # Errors
    /// Fails if a file can no longer be read.
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError>;
}

/// The function that a [`CaseSource`] calls for each case.
pub type Visit<'v> = dyn FnMut(&Arc<EvalFile>, EvalCase) -> ControlFlow<()> + 'v;

/// The reason why cases or answers can no longer be used.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// An eval file that was checked can no longer be loaded.
    #[error(transparent)]
    Load(Box<dyn Error + Send + Sync>),
    /// The records of a run cannot be read.
    #[error(transparent)]
    Records(#[from] FileError),
    /// The evaluators of a case cannot be used.
    #[error("{case}: {source}")]
    Case {
        /// The case, with its place if it is known.
        case: String,
        /// The reason.
        source: EvaluatorError,
    },
    /// The evaluators that replace those of all cases cannot be used.
    #[error(transparent)]
    Evaluators(EvaluatorError),
}

impl SourceError {
    /// Makes the error of an eval file that cannot be loaded.
    pub fn load(error: impl Error + Send + Sync + 'static) -> SourceError {
        SourceError::Load(Box::new(error))
    }
}
