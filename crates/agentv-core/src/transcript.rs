//! Transcripts of targets.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Artifact, FileChange, Message, RawExchange, Role, ToolCall};

/// The transcript of a target: its messages, its tool calls, and their cost.
///
/// ```
/// use agentv_core::Transcript;
///
/// let transcript = Transcript::of_text("Paris");
/// assert_eq!(transcript.answer(), "Paris");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Transcript {
    /// The messages of the target, in order, including its tool calls.
    pub output_messages: Vec<Message>,
    /// The tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// The cost in US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// True if the target is paid by its tokens and reported none, so that the cost is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_usage: bool,
    /// The duration as reported by the target, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// The reason for the end, in the words of the target: `stop`, `length`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The model, as it calls itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The vendor's name for the request, for questions to its support.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The time until the first token arrived, in milliseconds, if the answer was streamed. Records
    /// have it in their `timing`.
    #[serde(skip)]
    pub first_token_ms: Option<f64>,
    /// Further data of the target about its steps, kept unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Value>,
    /// The changes of the workspace, sorted by path; `None` if the trial had no workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_changes: Option<Vec<FileChange>>,
    /// The number of further changed files, beyond the limit of `file_changes`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub file_changes_omitted: u64,
    /// The files that belong to the transcript, such as the raw stream of an agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// The figures of the target that were ignored because they are impossible, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The requests and responses as they were sent, if the user asked for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub raw: Vec<RawExchange>,
}

impl Transcript {
    /// Makes a transcript of one assistant message.
    pub fn of_text(text: impl Into<String>) -> Transcript {
        Transcript {
            output_messages: vec![Message::new(Role::Assistant, text.into())],
            ..Transcript::default()
        }
    }

    /// Returns the answer to grade: the content of the last assistant message that has any, as
    /// text.
    pub fn answer(&self) -> String {
        let mut assistant = self.output_messages.iter().rev();
        let last = assistant.find_map(|message| match message.role {
            Role::Assistant => message.content.as_ref(),
            Role::System | Role::User | Role::Tool => None,
        });
        last.map(crate::Content::text).unwrap_or_default()
    }

    /// Returns true if the answer was cut off because it reached the limit of tokens.
    pub fn is_truncated(&self) -> bool {
        let reason = self.finish_reason.as_deref().unwrap_or_default();
        matches!(
            reason.to_ascii_lowercase().as_str(),
            "length"
                | "max_tokens"
                | "max_output_tokens"
                | "model_length"
                | "model_context_window_exceeded"
        )
    }

    /// Returns true if the target was stopped because it had used up its steps or turns.
    pub fn is_out_of_steps(&self) -> bool {
        matches!(
            self.finish_reason.as_deref(),
            Some("max_steps" | "max_turns")
        )
    }

    /// Returns the number of turns: the messages of the target itself.
    pub fn turns(&self) -> u64 {
        let messages = self.output_messages.iter();
        messages
            .filter(|message| message.role == Role::Assistant)
            .count() as u64
    }

    /// Returns the tool calls, in order.
    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        let messages = self.output_messages.iter();
        messages.flat_map(|message| &message.tool_calls)
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The tokens of one answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenUsage {
    /// The tokens that the model read, including cached ones.
    pub input: u64,
    /// The tokens that the model wrote.
    pub output: u64,
    /// The part of `input` that came from the vendor's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// The part of `output` that the model used for reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<u64>,
}

impl TokenUsage {
    /// Returns the sum of input and output.
    pub fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// A summary of a transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceSummary {
    /// The number of tool calls.
    pub event_count: u64,
    /// The names of the called tools, each once, sorted.
    pub tool_names: Vec<String>,
    /// The number of calls per tool.
    pub tool_calls_by_name: BTreeMap<String, u64>,
    /// The number of tool calls that returned an error.
    pub error_count: u64,
    /// The tokens, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_usage: Option<TokenUsage>,
    /// The cost in US dollars, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// True if the target is paid by its tokens and reported none, so that the cost is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_usage: bool,
    /// The duration in milliseconds, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
}

impl TraceSummary {
    /// Summarises a transcript. The duration is the one that the target reports, else
    /// `measured_ms`.
    pub fn of(transcript: &Transcript, measured_ms: Option<f64>) -> TraceSummary {
        let mut summary = TraceSummary {
            token_usage: transcript.token_usage,
            cost_usd: transcript.cost_usd,
            lacks_usage: transcript.lacks_usage,
            duration_ms: transcript.duration_ms.or(measured_ms),
            ..TraceSummary::default()
        };
        for call in transcript.tool_calls() {
            summary.event_count += 1;
            summary.error_count += u64::from(call.is_error());
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
