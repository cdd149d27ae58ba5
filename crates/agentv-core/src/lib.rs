//! The nouns of agentv and its three traits. No I/O, no clock, no environment.
//!
//! An [`EvalCase`] is a question with the expectations of a good answer. It has [`Message`]s, whose
//! [`Content`] is text, blocks or structured data, and the [`EvaluatorSpec`]s and [`Rubric`]s that
//! grade the answer. A [`Prompt`] is a case rendered for a target.
//!
//! A [`Trial`] is one case for one [`Target`], once. The target's [`Provider`] answers with a
//! [`Transcript`], [`Evaluator`]s judge it, and a [`ResultRecord`] holds the result. A run emits
//! [`RunEvent`]s, and [`Reporter`]s turn them into output for people, for CI or for the disk.
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

mod activity;
mod agent_trace;
mod allowance;
mod artifact;
mod case;
mod content;
mod eval_file;
mod evaluation;
mod evaluator;
mod event;
mod execution;
mod failure_rule;
mod file_change;
mod identity;
mod json;
mod judge;
mod message;
mod private_file;
mod profile;
mod prompt;
mod provider;
mod raw_exchange;
mod record;
mod rubric;
mod run_record;
mod sandbox;
mod score;
mod secrets;
mod target;
mod toolbox;
mod transcript;
mod trial;
mod visible;
mod workspace;

pub use activity::{Activity, ActivityChannel};
pub use agent_trace::{AgentTrace, Denial};
pub use allowance::Allowance;
pub use artifact::Artifact;
pub use case::{EvalCase, FurtherTurn, Source};
pub use content::{Block, Content, FileBlock, TextBlock};
pub use eval_file::EvalFile;
pub use evaluation::{Effort, Evaluation, Evaluator, EvaluatorError, Subject};
pub use evaluator::EvaluatorSpec;
pub use event::{Planned, ReportError, Reporter, RunEvent, Stop, TookPart, WorkerActivity};
pub use execution::Execution;
pub use failure_rule::{DependencyFailure, TurnFailure};
pub use file_change::{ChangeKind, FileChange, LineCounts};
pub use identity::{
    AnswerKeys, CaseIdentity, Digest, GradedBy, Identities, TrialKeys, target_digest,
};
pub use json::append_json;
pub use judge::{Judge, JudgeCall, JudgeRequest, Judges, Judging};
pub use message::{Message, Role, ToolCall, ToolKind};
pub use private_file::private_file;
pub use profile::{OfferedTool, Profile, TokenPrice};
pub use prompt::Prompt;
pub use provider::{
    BatchProvider, BoxFuture, Cause, ProgramFile, ProgramFiles, Provider, ProviderError, Request,
};
pub use raw_exchange::{ExchangeLog, RawExchange, RawMessage};
pub use record::{
    EvaluatorResult, Outdated, ResultRecord, Stage, Timing, TranscriptRecord, TrialError,
};
pub use rubric::{Rubric, ScoreRange};
pub use run_record::{
    Balance, FileVersion, GateOutcome, RanFile, RanTarget, RunRecord, RunVersion, SkippedCase,
};
pub use sandbox::{Network, Sandbox, TargetSandbox};
pub use score::{PassThreshold, Score, Status, Verdict};
pub use secrets::Secrets;
pub use target::{Limits, Program, Retry, Target};
pub use toolbox::{ToolOutput, Toolbox};
pub use transcript::{TokenUsage, TraceSummary, Transcript};
pub use trial::{FileDigest, Outcome, Rival, Step, Trial, TrialName, Work};
pub use visible::{is_obeyed, visible};
pub use workspace::{KeepWorkspace, WorkspaceFolders, WorkspaceSource, WorkspaceSpec};

/// Fields of the user that have no meaning here, in the order written.
pub type Extra = serde_json::Map<String, serde_json::Value>;

/// Distinguishes `null` (`Some(Null)`) from an absent field (`None`), which serde alone does not.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<serde_json::Value>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}
