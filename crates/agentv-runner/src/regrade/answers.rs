//! Answers that are there already, and the cases that they are graded by.

use std::ops::ControlFlow;
use std::sync::Arc;

use agentv_core::{EvalFile, ResultRecord, TranscriptRecord};

use crate::eval_file::SourceError;

/// Where answers come from that no target is asked for. They are streamed, as often as needed, in the
/// same order each time, and never all kept.
pub trait AnswerSource: Send + Sync {
    /// Visits every answer, until `visit` breaks.
    ///
    /// # Errors
    /// A sentence, when something cannot be read any more.
    fn visit(&self, visit: &mut VisitGiven<'_>) -> Result<(), SourceError>;
}

/// What is there of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// What the target answered, with the case that it is graded by.
    Answer(Box<TranscriptRecord>),
    /// That there is no answer to grade; the record is carried over.
    Error(Box<ResultRecord>),
}

/// What is done with each.
pub type VisitGiven<'v> = dyn FnMut(&Arc<EvalFile>, Given) -> ControlFlow<()> + 'v;
