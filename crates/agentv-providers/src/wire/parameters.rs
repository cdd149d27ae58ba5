//! The parameters of a model, by the names that all protocols share.

use std::sync::Arc;

use agentv_core::Extra;
use agentv_syntax::Draft;
use serde_json::Value;

/// The parameters of a target, in no protocol's terms.
#[derive(Debug, Clone, Default)]
pub(crate) struct Parameters {
    pub(crate) temperature: Option<f64>,
    pub(crate) top_p: Option<f64>,
    pub(crate) max_output_tokens: Option<u64>,
    pub(crate) stop: Vec<String>,
    pub(crate) seed: Option<i64>,
    pub(crate) reasoning_effort: Option<String>,
    pub(crate) thinking_budget: Option<u64>,
    pub(crate) format: Option<Format>,
    /// The number of alternatives per token. With 0, only the chosen token has a probability.
    pub(crate) logprobs: Option<u64>,
    pub(crate) tool_choice: Option<ToolChoice>,
    /// Further fields of the request, sent unchanged.
    pub(crate) params: Vec<(String, Draft)>,
}

/// A parameter that some protocols lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parameter {
    Stop,
    Seed,
    ReasoningEffort,
    ThinkingBudget,
    JsonObject,
    JsonSchema,
    Logprobs,
    /// A `tool_choice` of `none`.
    NoTools,
}

/// The format of an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Format {
    /// Text of any form.
    Text,
    /// Some JSON object.
    JsonObject,
    /// JSON of a schema.
    JsonSchema {
        name: String,
        schema: Arc<Value>,
        strict: Option<bool>,
    },
}

/// A function that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// The JSON Schema of the arguments.
    pub(crate) parameters: Value,
}

impl Tool {
    /// Returns the schema of a tool's arguments with what every vendor requires: that they are an object,
    /// and its properties.
    pub(crate) fn schema(mut written: Extra) -> Value {
        let is_combined = ["$ref", "anyOf", "oneOf", "allOf"]
            .iter()
            .any(|name| written.contains_key(*name));
        if !is_combined && !written.contains_key("type") {
            written.insert("type".to_owned(), "object".into());
        }
        if written.get("type").is_some_and(|kind| kind == "object")
            && !written.contains_key("properties")
        {
            written.insert("properties".to_owned(), Value::Object(Extra::new()));
        }
        Value::Object(written)
    }
}

/// The choice between answering and calling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolChoice {
    Auto,
    None,
    /// At least one call.
    Required,
    /// A call of this function.
    Named(String),
}

/// The differences between vendors that speak the same protocol.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// True if the seed is called `random_seed`.
    pub(crate) random_seed: bool,
    /// True if the usage of a stream comes only if it is asked for.
    pub(crate) asks_for_usage: bool,
    /// True if the ids of calls must have nine letters and digits.
    pub(crate) short_ids: bool,
}

impl Dialect {
    /// The dialect of the vendor that made the protocol.
    pub(crate) const USUAL: Dialect = Dialect {
        random_seed: false,
        asks_for_usage: true,
        short_ids: false,
    };
}
