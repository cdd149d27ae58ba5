//! Answers that exist, and the cases that they are graded by.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalFile, ResultRecord, TranscriptRecord};

use crate::case_source::SourceError;

/// A source of answers that exist. They are streamed, as often as needed, in the same order each
/// time, and never all kept.
pub trait AnswerSource: Send + Sync {
    /// Visits every answer, until `visit` breaks.
    ///
    /// # Errors
    /// Fails if a file can no longer be read.
    fn visit(&self, visit: &mut VisitGiven<'_>) -> Result<(), SourceError>;

    /// Visits every answer, including those that are not selected, until `visit` breaks.
    ///
    /// # Errors
    /// Fails if a file can no longer be read.
    fn visit_all(&self, visit: &mut VisitGiven<'_>) -> Result<(), SourceError> {
        self.visit(visit)
    }
}

/// The record of a trial that is not run again.
#[derive(Debug, Clone, PartialEq)]
pub enum GivenRecord {
    /// The answer of the target, with the case that it is graded by.
    Answer(Box<TranscriptRecord>),
    /// An error: there is no answer to grade, and the record is carried over.
    Error(Box<ResultRecord>),
}

/// The function that an [`AnswerSource`] calls for each record.
pub type VisitGiven<'v> = dyn FnMut(&Arc<EvalFile>, GivenRecord) -> ControlFlow<()> + 'v;
