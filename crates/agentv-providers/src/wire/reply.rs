//! An answer in no protocol's terms.

use agentv_core::ToolCall;
use serde_json::Value;

/// An answer of a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reply {
    /// The text, to the byte.
    pub(crate) text: String,
    /// The reasoning text, if the vendor shows it.
    pub(crate) reasoning: String,
    pub(crate) calls: Vec<ToolCall>,
    /// The reason for the end, in the vendor's words.
    pub(crate) finish_reason: Option<String>,
    pub(crate) usage: Usage,
    /// The model, as it calls itself.
    pub(crate) model: Option<String>,
    /// The vendor's name for the answer.
    pub(crate) id: Option<String>,
    /// The cost in US dollars, if the vendor reports it.
    pub(crate) cost: Option<f64>,
    /// The probabilities of tokens, as the vendor reports them.
    pub(crate) logprobs: Option<Value>,
    /// Data of the vendor that must come back with this turn.
    pub(crate) carried: Option<Value>,
    /// The parts that are not text, reasoning or calls, such as images and the vendor's own tools.
    pub(crate) other: Vec<Value>,
}

/// The tokens of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// The tokens that the model read, including cached ones.
    pub(crate) input: Option<u64>,
    /// The tokens that the model wrote, including its reasoning.
    pub(crate) output: Option<u64>,
    /// The part of `input` that came from the cache.
    pub(crate) cached: Option<u64>,
    /// The part of `input` that was written to the cache.
    pub(crate) cache_written: Option<u64>,
    /// The part of `output` that was reasoning.
    pub(crate) reasoning: Option<u64>,
}
