//! The targets that evaluators ask.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{BoxFuture, Prompt, ProviderError, TokenUsage, Transcript};

/// A target that an evaluator asks.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judge {
    /// The one that judges the answers of the graded target: its `judge_target`, else itself.
    Usual,
    /// The target of this name.
    Named(String),
}

/// What evaluators ask judges through. Retries, limits, timeouts and the budget are the asked one's
/// business, as for every other call of a run.
pub trait Judges: Send + Sync {
    /// The name of the target that a judge is.
    fn name<'a>(&'a self, judge: &'a Judge) -> &'a str;

    /// The names of all targets that may be asked, sorted.
    fn known(&self) -> Vec<&str>;

    /// Asks a judge.
    fn ask<'a>(
        &'a self,
        judge: &'a Judge,
        request: JudgeRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>>;
}

/// What a judge is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgeRequest {
    /// What is said to it.
    pub prompt: Prompt,
    /// The JSON Schema of the answer that is wanted, for providers that can hold a model to one.
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

/// One call of a judge, as a record holds it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct JudgeCall {
    /// The target that was asked.
    pub target: String,
    /// How many attempts it took.
    pub attempts: u32,
    /// The tokens it read and wrote, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// What it cost in US dollars, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long the last attempt took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// What it was asked, where the user wants to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Vec<crate::Message>>,
    /// What it said, where the user wants to see it or it could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Why it gave no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
