//! The nouns of agentv and its three traits. No I/O, no clock, no environment.
//!
//! An [`EvalCase`] is a question and how its answer is graded. It holds [`Message`]s, whose
//! [`Content`] is text, blocks or structured data, and the [`EvaluatorSpec`]s and [`Rubric`]s that
//! the answer is graded by. A [`Prompt`] is what a case says to a target.
//!
//! A [`Target`] is asked through its [`Provider`] and gives a [`Transcript`]; [`Evaluator`]s judge
//! that; a [`ResultRecord`] says how the trial ended. A run speaks in [`RunEvent`]s, which
//! [`Reporter`]s turn into something for people, for CI or for the disk.
//!
//! ```
//! use agentv_core::{EvalCase, Role};
//!
//! let case: EvalCase = serde_json::from_str(r#"{
//!     "id": "sum", "dataset": "math",
//!     "expected_outcome": "The sum is right",
//!     "input_messages": [{"role": "user", "content": "What is 2+2?"}]
//! }"#).unwrap();
//! assert_eq!(case.input()[0].role, Role::User);
//! assert_eq!(case.execution.target, "default");
//! ```

mod case;
mod content;
mod eval_file;
mod evaluation;
mod evaluator;
mod event;
mod execution;
mod identity;
mod judge;
mod message;
mod private_file;
mod prompt;
mod provider;
mod record;
mod rubric;
mod run_record;
mod score;
mod secrets;
mod target;
mod transcript;
mod trial;
mod visible;

pub use case::{EvalCase, Source};
pub use content::{Block, Content, FileBlock, TextBlock};
pub use eval_file::EvalFile;
pub use evaluation::{Effort, Evaluation, Evaluator, EvaluatorError, Subject};
pub use evaluator::EvaluatorSpec;
pub use event::{Planned, ReportError, Reporter, RunEvent, Stop};
pub use execution::Execution;
pub use identity::{
    AnswerKeys, CaseIdentity, Digest, GradedBy, Identities, TrialKeys, target_identity,
};
pub use judge::{Judge, JudgeCall, JudgeRequest, Judges, Judging};
pub use message::{Message, Role, ToolCall};
pub use private_file::private_file;
pub use prompt::Prompt;
pub use provider::{BatchProvider, BoxFuture, Cause, Provider, ProviderError, Request};
pub use record::{EvaluatorResult, ResultRecord, Stage, Timing, TranscriptRecord, TrialError};
pub use rubric::{Rubric, ScoreRange};
pub use run_record::{GateOutcome, RanFile, RanTarget, RunRecord};
pub use score::{Score, Status, Verdict};
pub use secrets::Secrets;
pub use target::{Limits, Retry, Target};
pub use transcript::{TokenUsage, TraceSummary, Transcript};
pub use trial::{FileDigest, Outcome, Step, Trial, TrialName, Work};
pub use visible::{is_obeyed, visible};

/// Fields that a user wrote beyond those that have a meaning here, in the order written.
pub type Extra = serde_json::Map<String, serde_json::Value>;

/// Tells `null` (`Some(Null)`) from absent (`None`), which serde alone does not.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<serde_json::Value>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}
