//! The nouns of agentv. Plain data: no I/O, no clock, no environment.
//!
//! An [`EvalCase`] is a question and how its answer is graded. It holds [`Message`]s, whose
//! [`Content`] is text, blocks or structured data, and the [`EvaluatorSpec`]s and [`Rubric`]s that
//! the answer is graded by. A [`Prompt`] is what a case says to a target.
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
mod evaluator;
mod execution;
mod message;
mod prompt;
mod rubric;

pub use case::{EvalCase, Source};
pub use content::{Block, Content, FileBlock, TextBlock};
pub use evaluator::EvaluatorSpec;
pub use execution::Execution;
pub use message::{Message, Role, ToolCall};
pub use prompt::Prompt;
pub use rubric::{Rubric, ScoreRange};

/// Fields that a user wrote beyond those that have a meaning here, in the order written.
pub type Extra = serde_json::Map<String, serde_json::Value>;

/// Tells `null` (`Some(Null)`) from absent (`None`), which serde alone does not.
fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<serde_json::Value>, D::Error> {
    serde::Deserialize::deserialize(deserializer).map(Some)
}
