//! Judges: the targets that evaluators ask.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BoxFuture, Prompt, ProviderError, TokenUsage, Transcript};

/// A target that an evaluator asks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judge {
    /// The usual judge of the graded target: its `judge_target` (default: the target itself).
    Usual,
    /// The target of this name.
    Named(String),
}

/// Access to judges, for evaluators. The run takes care of retries, limits, timeouts and the
/// budget, as for every other call.
pub trait Judges: Send + Sync {
    /// Returns the name of a judge's target.
    fn name<'a>(&'a self, judge: &'a Judge) -> &'a str;

    /// Returns the names of all targets that may be asked, sorted.
    fn known(&self) -> Vec<&str>;

    /// Asks a judge.
    fn ask<'a>(
        &'a self,
        judge: &'a Judge,
        request: JudgeRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>>;
}

/// A request to a judge.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeRequest {
    /// The prompt.
    pub prompt: Prompt,
    /// The JSON Schema of the expected answer, for providers that can enforce one.
    pub output_schema: Option<Arc<Value>>,
}

/// The judges of a [`Subject`](crate::Subject).
#[derive(Clone, Copy)]
pub struct Judging<'a>(pub &'a dyn Judges);

impl fmt::Debug for Judging<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Judging({})", self.0.name(&Judge::Usual))
    }
}

/// One call of a judge, as recorded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeCall {
    /// The target.
    pub target: String,
    /// The number of attempts.
    pub attempts: u32,
    /// The tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// The cost in US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// True if the judge is paid by its tokens and reported none, so that the cost is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_usage: bool,
    /// True if the judge is the target that gave the answer, under another name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_answer: bool,
    /// The duration of the last attempt, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// The request, if the user wants to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Vec<crate::Message>>,
    /// The answer, if the user wants to see it or it was unusable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The error, if there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
