//! The events of Codex, completed by its rollout file.

use agentv_core::Denial;
use serde_json::{Value, json};

use super::draft::{Call, Draft, DraftEnd, Tokens};
use super::kind::ReadEvents;
use super::text::{exit_code_in, number, text, text_of_blocks};
use super::turn::Turn;

/// A reader of Codex's events.
///
/// The stream has commands and changed paths only, without the names of tools, and omits calls that
/// fail before they start. The rollout file has all calls as the model made them, so that it replaces
/// the calls of the stream.
#[derive(Default)]
pub(crate) struct CodexEvents {
    /// True if a rollout file has replaced the stream.
    has_rollout: bool,
    has_tokens: bool,
    turn: Turn,
    last_error: Option<String>,
}

impl ReadEvents for CodexEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        match text(&event["type"]) {
            "thread.started" => draft.session(text(&event["thread_id"])),
            "item.started" => self.begin(&event["item"], draft),
            "item.completed" => self.complete(&event["item"], draft),
            "turn.completed" => {
                if let Some(tokens) = tokens(&event["usage"]) {
                    self.has_tokens = true;
                    draft.set_tokens(tokens);
                }
                draft.end(DraftEnd::Done);
            }
            "turn.failed" => {
                let message = text(&event["error"]["message"]);
                let last = self.last_error.as_deref().unwrap_or("the turn failed");
                let message = if message.is_empty() { last } else { message };
                draft.end(DraftEnd::Failed(message.to_owned()));
            }
            "error" => {
                let message = text(&event["message"]);
                if message.starts_with("Reconnecting") {
                    draft.retry();
                }
                self.last_error = Some(message.to_owned());
            }
            _ => {}
        }
    }

    fn session_file(&mut self, name: &str, file: &str, draft: &mut Draft) {
        if !name.ends_with(".jsonl") {
            return;
        }
        // Some models write programs that call the tools. Then only the stream has the calls themselves.
        let is_program = |line: &str| {
            line.contains("\"custom_tool_call\"") && line.contains("\"name\":\"exec\"")
        };
        let has_programs = file.lines().any(is_program);
        for line in file.lines() {
            let Ok(record) = serde_json::from_str::<Value>(line) else {
                continue;
            };
            draft.at_timestamp(text(&record["timestamp"]));
            let payload = &record["payload"];
            match text(&record["type"]) {
                "session_meta" => {
                    if let Some(version) = payload["cli_version"].as_str() {
                        draft.version(version);
                    }
                }
                "turn_context" => draft.model(text(&payload["model"])),
                "response_item" if !has_programs => self.response_item(payload, draft),
                "event_msg" => self.message(payload, draft),
                _ => {}
            }
        }
    }
}

impl CodexEvents {
    /// Takes an item of the conversation with the model.
    fn response_item(&mut self, item: &Value, draft: &mut Draft) {
        let kind = text(&item["type"]);
        let is_ours = match kind {
            "message" => item["role"] == "assistant",
            kind => kind.ends_with("_call"),
        };
        if is_ours && !self.has_rollout {
            self.has_rollout = true;
            self.turn.end();
            draft.start_again();
        }
        let id = text(&item["call_id"]);
        match kind {
            "message" if is_ours => {
                let turn = self.turn.name();
                draft.say(Some(&turn), text(&text_of_blocks(&item["content"])));
            }
            "function_call" => {
                let written = text(&item["arguments"]);
                let arguments = serde_json::from_str(written).unwrap_or(Value::from(written));
                self.call(id, text(&item["name"]), &arguments, draft);
            }
            "custom_tool_call" => self.call(id, text(&item["name"]), &item["input"], draft),
            "local_shell_call" => self.call(id, "local_shell", &item["action"], draft),
            "function_call_output" | "custom_tool_call_output" => {
                self.turn.end();
                output(id, item, draft);
            }
            _ => {}
        }
    }

    fn call(&mut self, id: &str, tool: &str, input: &Value, draft: &mut Draft) {
        let turn = self.turn.name();
        draft.call(&Call {
            id,
            tool,
            input: Some(input),
            message: Some(&turn),
            parent: None,
        });
    }

    /// Takes the beginning of an item of the stream.
    fn begin(&mut self, item: &Value, draft: &mut Draft) {
        let kind = text(&item["type"]);
        let (tool, input) = match kind {
            "command_execution" => (kind, json!({"command": item["command"]})),
            "file_change" => (kind, json!({"changes": item["changes"]})),
            "web_search" => (kind, json!({"query": item["query"]})),
            "mcp_tool_call" => (text(&item["tool"]), item["arguments"].clone()),
            _ => return,
        };
        self.call(text(&item["id"]), tool, &input, draft);
    }

    /// Takes the end of an item of the stream.
    fn complete(&mut self, item: &Value, draft: &mut Draft) {
        let id = text(&item["id"]);
        let output = match text(&item["type"]) {
            "agent_message" => {
                let turn = self.turn.name();
                return draft.say(Some(&turn), text(&item["text"]));
            }
            "command_execution" => &item["aggregated_output"],
            "file_change" | "web_search" | "mcp_tool_call" => &item["result"],
            _ => return,
        };
        self.begin(item, draft);
        self.turn.end();
        draft.result(id, output, item["status"] == "failed");
        if let Some(code) = item["exit_code"].as_i64() {
            draft.exit_code(id, code);
        }
    }

    /// Takes an event of the rollout, which has the exit codes.
    fn message(&mut self, payload: &Value, draft: &mut Draft) {
        match text(&payload["type"]) {
            "item_completed" => {
                let item = &payload["item"];
                finish(text(&item["id"]), item, draft);
            }
            "exec_command_end" => finish(text(&payload["call_id"]), payload, draft),
            "token_count" if !self.has_tokens => {
                if let Some(tokens) = tokens(&payload["info"]["total_token_usage"]) {
                    draft.set_tokens(tokens);
                }
            }
            _ => {}
        }
    }
}

/// Takes the output that the model saw.
fn output(id: &str, item: &Value, draft: &mut Draft) {
    let seen = match &item["output"] {
        Value::Object(fields) => fields.get("content").cloned().unwrap_or_default(),
        value => text_of_blocks(value),
    };
    let words = text(&seen).to_owned();
    let code = exit_code_in(&words, &["Process exited with code ", "Exit code: "]);
    let is_error = item["output"]["success"] == false
        || ["failed", "error", "aborted", "unsupported call"]
            .iter()
            .any(|word| words.starts_with(word));
    draft.result(id, &seen, is_error && code.is_none());
    if let Some(code) = code {
        draft.exit_code(id, code);
    }
    if code.is_none() && words.contains("rejected") {
        let tool = draft
            .known(id)
            .map(|call| (call.tool.clone(), call.input.clone()));
        let (tool, input) = tool.unwrap_or_default();
        draft.deny(
            id,
            Denial {
                tool,
                input,
                reason: Some(words),
            },
        );
    }
}

/// Takes the end of a command: its code and its duration.
fn finish(id: &str, item: &Value, draft: &mut Draft) {
    if let Some(code) = item["exit_code"].as_i64() {
        draft.exit_code(id, code);
    }
    let seconds = item["duration"]["secs"].as_f64();
    let nanoseconds = item["duration"]["nanos"].as_f64().unwrap_or_default();
    if let Some(seconds) = seconds {
        draft.duration(id, (seconds * 1e3 + nanoseconds / 1e6).round());
    }
}

/// Returns the tokens of a usage. Cached tokens and reasoning are included in input and output.
fn tokens(usage: &Value) -> Option<Tokens> {
    usage.is_object().then(|| Tokens {
        input: number(&usage["input_tokens"]),
        output: number(&usage["output_tokens"]),
        cached: Some(number(&usage["cached_input_tokens"])),
        reasoning: Some(number(&usage["reasoning_output_tokens"])).filter(|count| *count > 0),
    })
}
