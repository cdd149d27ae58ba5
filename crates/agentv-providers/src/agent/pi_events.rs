//! The events of pi.

use serde_json::Value;

use super::draft::{Call, Draft, DraftEnd, Tokens};
use super::guard::REASON;
use super::kind::ReadEvents;
use super::text::{exit_code_in, items, number, text, text_of_blocks};

/// A reader of pi's events. Messages come whole when they end, with their usage and cost.
#[derive(Default)]
pub(crate) struct PiEvents {
    /// The error of the last message, if it is one.
    error: Option<String>,
}

impl ReadEvents for PiEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        match text(&event["type"]) {
            "session" => draft.session(text(&event["id"])),
            "message_end" if event["message"]["role"] == "assistant" => {
                self.message(&event["message"], draft);
            }
            "tool_execution_start" => draft.call(&Call {
                id: text(&event["toolCallId"]),
                tool: text(&event["toolName"]),
                input: event.get("args"),
                ..Call::default()
            }),
            "tool_execution_end" => result(event, draft),
            "auto_retry_start" => draft.retry(),
            "agent_end" => draft.end(match self.error.take() {
                Some(error) => DraftEnd::Failed(error),
                None => DraftEnd::Done,
            }),
            _ => {}
        }
    }

    fn resumes(&self, event: &Value) -> bool {
        event["type"] == "agent_start"
    }
}

impl PiEvents {
    fn message(&mut self, message: &Value, draft: &mut Draft) {
        // Any name that no other message has.
        let name = format!("{}-{}", message["timestamp"], text(&message["responseId"]));
        for block in items(&message["content"]) {
            match text(&block["type"]) {
                "text" => draft.say(Some(&name), text(&block["text"])),
                "toolCall" => draft.call(&Call {
                    id: text(&block["id"]),
                    tool: text(&block["name"]),
                    input: block.get("arguments"),
                    message: Some(&name),
                    parent: None,
                }),
                _ => {}
            }
        }
        count(&message["usage"], draft);
        draft.model(text(&message["model"]));
        let reason = text(&message["stopReason"]);
        draft.finish_reason(reason);
        self.error = match reason {
            "error" | "aborted" => {
                let words = text(&message["errorMessage"]);
                Some(if words.is_empty() { reason } else { words }.to_owned())
            }
            _ => None,
        };
    }
}

/// Adds the usage of a message. Its input does not include cached tokens.
fn count(usage: &Value, draft: &mut Draft) {
    if !usage.is_object() {
        return;
    }
    let (cached, written) = (number(&usage["cacheRead"]), number(&usage["cacheWrite"]));
    draft.add_tokens(Tokens {
        input: number(&usage["input"])
            .saturating_add(cached)
            .saturating_add(written),
        output: number(&usage["output"]),
        cached: Some(cached),
        reasoning: Some(number(&usage["reasoning"])).filter(|count| *count > 0),
    });
    if let Some(cost) = usage["cost"]["total"].as_f64() {
        draft.add_cost(cost);
    }
}

fn result(event: &Value, draft: &mut Draft) {
    let id = text(&event["toolCallId"]);
    let output = text_of_blocks(&event["result"]["content"]);
    let is_error = event["isError"] == true;
    draft.result(id, &output, is_error);
    let words = text(&output);
    if is_error && words.starts_with("Tool ") && words.ends_with(" not found") {
        draft.unavailable(id);
    }
    if is_error && words == REASON {
        draft.deny_call(id);
    }
    if event["toolName"] != "bash" {
        return;
    }
    let code = if is_error {
        exit_code_in(text(&output), &["Command exited with code "])
    } else {
        Some(0)
    };
    if let Some(code) = code {
        draft.exit_code(id, code);
    }
}
