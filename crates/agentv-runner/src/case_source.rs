//! The cases of a run's eval files, as a stream.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalCase, EvalFile};

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

/// A file that was checked and can no longer be used, a sentence.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);
