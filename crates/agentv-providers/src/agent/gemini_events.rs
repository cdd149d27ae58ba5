//! The events of Gemini CLI, completed by its chat file.

use agentv_core::{Denial, ToolKind};
use serde_json::Value;

use super::draft::{Call, Draft, DraftEnd, Tokens};
use super::kind::ReadEvents;
use super::text::{exit_code_in, items, number, text};
use super::turn::Turn;

/// A reader of Gemini CLI's events.
///
/// The stream reports a command that failed as a success and omits some outputs. The chat file has
/// both.
#[derive(Default)]
pub(crate) struct GeminiEvents {
    turn: Turn,
    last_error: Option<String>,
}

impl ReadEvents for GeminiEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        match text(&event["type"]) {
            "init" => {
                draft.session(text(&event["session_id"]));
                draft.model(text(&event["model"]));
            }
            "message" if event["role"] == "assistant" => {
                let turn = self.turn.name();
                draft.say_more(&turn, text(&event["content"]));
            }
            "tool_use" => {
                let turn = self.turn.name();
                draft.call(&Call {
                    id: text(&event["tool_id"]),
                    tool: text(&event["tool_name"]),
                    input: event.get("parameters"),
                    message: Some(&turn),
                    parent: None,
                });
            }
            "tool_result" => self.result(event, draft),
            "error" => self.last_error = Some(text(&event["message"]).to_owned()),
            "result" => self.end_of_run(event, draft),
            _ => {}
        }
    }

    fn session_file(&mut self, name: &str, file: &str, draft: &mut Draft) {
        if !name.contains("/chats/") {
            return;
        }
        let lines = file.lines().map(serde_json::from_str::<Value>);
        let whole = serde_json::from_str::<Value>(file).ok();
        // Older versions write one object with all messages.
        let older = whole.iter().flat_map(|whole| items(&whole["messages"]));
        for message in lines.flatten().chain(older.cloned()) {
            for call in items(&message["toolCalls"]) {
                complete(call, draft);
            }
        }
    }
}

impl GeminiEvents {
    fn result(&mut self, event: &Value, draft: &mut Draft) {
        self.turn.end();
        let output = match event.get("output") {
            Some(output) => output,
            None => &event["error"]["message"],
        };
        draft.result(text(&event["tool_id"]), output, event["status"] == "error");
    }

    fn end_of_run(&mut self, event: &Value, draft: &mut Draft) {
        let stats = &event["stats"];
        if stats.is_object() {
            draft.set_tokens(Tokens {
                input: number(&stats["input_tokens"]),
                output: output_tokens(stats),
                cached: Some(number(&stats["cached"])),
                reasoning: None,
            });
        }
        if let Some(duration) = stats["duration_ms"].as_f64() {
            draft.set_duration(duration);
        }
        if event["status"] == "success" {
            return draft.end(DraftEnd::Done);
        }
        let words = text(&event["error"]["message"]);
        if event["error"]["type"] == "FatalTurnLimitedError" {
            draft.finish_reason(super::draft::MAX_TURNS);
            return draft.end(DraftEnd::Done);
        }
        let last = self.last_error.as_deref().unwrap_or("the run failed");
        let words = if words.is_empty() { last } else { words };
        draft.end(DraftEnd::Failed(words.to_owned()));
    }
}

/// Returns the tokens that the model wrote. Thoughts are in the total only.
fn output_tokens(stats: &Value) -> u64 {
    let (total, input) = (
        number(&stats["total_tokens"]),
        number(&stats["input_tokens"]),
    );
    number(&stats["output_tokens"]).max(total.saturating_sub(input))
}

/// Completes a call with what the chat file knows about it.
fn complete(call: &Value, draft: &mut Draft) {
    let id = text(&call["id"]);
    let responses = items(&call["result"]).map(|part| &part["functionResponse"]["response"]);
    let response = responses.into_iter().next().unwrap_or(&Value::Null);
    let output = response.get("output").or_else(|| response.get("error"));
    let status = text(&call["status"]);
    let is_error = matches!(status, "error" | "cancelled") || response.get("error").is_some();
    let Some(known) = draft.known(id) else {
        return;
    };
    let kind = known.kind();
    // The stream has the text for people, which is empty for tools that read.
    let is_empty = |known: &Value| known.is_null() || known == "";
    if known.output.as_ref().is_none_or(is_empty) {
        known.output = output.cloned();
    }
    let words = output.map(text).unwrap_or_default();
    let is_command = kind == Some(ToolKind::Execute) && output.is_some() && !is_error;
    let has_run = ["Output: ", "Process Group PGID: "]
        .iter()
        .any(|mark| words.contains(mark));
    // A command that was blocked has no exit code, and is reported as a success.
    let is_blocked = is_command && !has_run && words.to_ascii_lowercase().contains("blocked");
    let is_error = is_error || is_blocked;
    if is_error {
        known.set_error();
    }
    if words.starts_with("Tool \"") && words.contains("not found") {
        draft.unavailable(id);
    }
    if is_command && has_run {
        // The exit code is written only if it is not 0.
        let code = exit_code_in(words, &["Exit Code: "]).unwrap_or(0);
        draft.exit_code(id, code);
    }
    let is_refused = is_blocked || words.contains("denied by policy") || status == "cancelled";
    if is_error && is_refused {
        let (tool, input) = (text(&call["name"]).to_owned(), call.get("args").cloned());
        let reason = Some(words.to_owned());
        draft.deny(
            id,
            Denial {
                tool,
                input,
                reason,
            },
        );
    }
}
