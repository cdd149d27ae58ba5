//! What a target did.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Message, Role, ToolCall};

/// What a target did with a request: what it said, the tools it called, what that cost.
///
/// ```
/// use agentv_core::Transcript;
///
/// let transcript = Transcript::of_text("Paris");
/// assert_eq!(transcript.answer(), "Paris");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// What the target said, in order, its tool calls included.
    pub output_messages: Vec<Message>,
    /// The tokens it read and wrote, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// What it cost in US dollars, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long it took by the target's own account, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// Why it stopped, in the words of the target: `stop`, `length`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The model that answered, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What else the target reported of its way to the answer, kept as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Value>,
}

impl Transcript {
    /// One assistant message.
    pub fn of_text(text: impl Into<String>) -> Transcript {
        Transcript {
            output_messages: vec![Message::new(Role::Assistant, text.into())],
            ..Transcript::default()
        }
    }

    /// What is graded: the content of the last assistant message that has any, as text.
    pub fn answer(&self) -> String {
        let mut assistant = self.output_messages.iter().rev();
        let last = assistant.find_map(|message| match message.role {
            Role::Assistant => message.content.as_ref(),
            Role::System | Role::User | Role::Tool => None,
        });
        last.map(crate::Content::text).unwrap_or_default()
    }

    /// The tools that were called, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        let messages = self.output_messages.iter();
        messages.flat_map(|message| &message.tool_calls)
    }
}

/// Tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Tokens that the model read, cached ones included.
    pub input: u64,
    /// Tokens that it wrote.
    pub output: u64,
    /// Those of `input` that came from the vendor's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
}

impl TokenUsage {
    /// Input and output together.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// What a target did, in figures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceSummary {
    /// How many tools were called.
    pub event_count: u64,
    /// The tools that were called, each once, sorted.
    pub tool_names: Vec<String>,
    /// How often each was called.
    pub tool_calls_by_name: BTreeMap<String, u64>,
    /// How many calls of tools returned an error.
    pub error_count: u64,
    /// The tokens that it read and wrote, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// What it cost in US dollars, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long it took in milliseconds, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

impl TraceSummary {
    /// The figures of a transcript; `measured_ms` is how long we saw it take, and the target's own
    /// account goes before it.
    pub fn of(transcript: &Transcript, measured_ms: Option<f64>) -> TraceSummary {
        let mut summary = TraceSummary {
            token_usage: transcript.token_usage,
            cost_usd: transcript.cost_usd,
            duration_ms: transcript.duration_ms.or(measured_ms),
            ..TraceSummary::default()
        };
        for call in transcript.tool_calls() {
            summary.event_count += 1;
            summary.error_count += u64::from(is_error(call));
            match summary.tool_calls_by_name.get_mut(&call.tool) {
                Some(count) => *count += 1,
                None => {
                    summary.tool_calls_by_name.insert(call.tool.clone(), 1);
                }
            }
        }
        summary.tool_names = summary.tool_calls_by_name.keys().cloned().collect();
        summary
    }
}

/// Whether a call says of itself that it failed.
fn is_error(call: &ToolCall) -> bool {
    let says = |fields: Option<&Value>, name: &str| {
        fields
            .and_then(|fields| fields.get(name))
            .is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
    };
    let named = |name: &str| call.extra.get(name);
    named("error").is_some_and(|value| !matches!(value, Value::Null | Value::Bool(false)))
        || named("is_error").is_some_and(|value| *value == Value::Bool(true))
        || says(call.output.as_ref(), "error")
}
