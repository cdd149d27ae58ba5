//! The messages of an agent that speaks the Agent Client Protocol.

use agentv_core::{Denial, ToolKind};
use serde_json::Value;

use super::draft::{Call, Draft, DraftEnd, MAX_TURNS, Tokens};
use super::kind::ReadEvents;
use super::text::{items, number, text};
use super::turn::Turn;

/// The ids of our requests.
pub(crate) const INITIALIZE: u64 = 1;
pub(crate) const NEW_SESSION: u64 = 2;
pub(crate) const SET_MODEL: u64 = 3;
pub(crate) const PROMPT: u64 = 4;

/// A reader of the messages of the Agent Client Protocol.
#[derive(Default)]
pub(crate) struct AcpEvents {
    turn: Turn,
}

impl ReadEvents for AcpEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        if event["method"] == "session/update" {
            return self.update(&event["params"]["update"], draft);
        }
        if event.get("method").is_some() {
            return;
        }
        let result = &event["result"];
        if let Some(error) = event.get("error") {
            let words = error_text(error);
            draft.end(DraftEnd::Failed(if event["id"] == SET_MODEL {
                format!("it does not accept the `model` of the target: {words}")
            } else {
                words
            }));
        } else if event["id"] == INITIALIZE {
            if let Some(version) = result["agentInfo"]["version"].as_str() {
                draft.version(version);
            }
            if let Some(name) = result["agentInfo"]["name"].as_str() {
                draft.fact("agent_name", name.into());
            }
        } else if event["id"] == NEW_SESSION {
            draft.session(text(&result["sessionId"]));
            draft.model(text(&result["models"]["currentModelId"]));
        } else if event["id"] == PROMPT {
            end(result, draft);
        }
    }
}

impl AcpEvents {
    fn update(&mut self, update: &Value, draft: &mut Draft) {
        let id = text(&update["toolCallId"]);
        match text(&update["sessionUpdate"]) {
            "agent_message_chunk" => {
                let turn = self.turn.name();
                draft.say_more(&turn, text(&update["content"]["text"]));
            }
            "tool_call" | "tool_call_update" => self.tool(id, update, draft),
            "usage_update" => {
                if let Some(cost) = update["cost"]["amount"].as_f64()
                    && update["cost"]["currency"] == "USD"
                {
                    draft.set_cost(cost);
                }
            }
            _ => {}
        }
    }

    fn tool(&mut self, id: &str, update: &Value, draft: &mut Draft) {
        if draft.known(id).is_none() {
            let turn = self.turn.name();
            draft.call(&Call {
                id,
                tool: tool_name(update),
                input: update.get("rawInput"),
                message: Some(&turn),
                parent: None,
            });
        } else if let Some(input) = update.get("rawInput") {
            draft.call(&Call {
                id,
                input: Some(input),
                ..Call::default()
            });
        }
        if let Some(kind) = update["kind"].as_str() {
            draft.set_kind(id, tool_kind(kind));
        }
        if let Some(title) = update["title"].as_str()
            && let Some(call) = draft.known(id)
        {
            call.extra.insert("title".to_owned(), title.into());
        }
        let status = text(&update["status"]);
        if matches!(status, "completed" | "failed") {
            self.turn.end();
            draft.result(id, &output(update), status == "failed");
            if let Some(code) = exit_code(update) {
                draft.exit_code(id, code);
            }
        }
    }
}

/// Returns the agent's name for a tool. Many agents only tell its kind.
pub(crate) fn tool_name(update: &Value) -> &str {
    let named = ["toolName", "tool_name", "name"].iter().find_map(|name| {
        let meta = update["_meta"].as_object()?;
        let inner = meta.values().find_map(|value| value.get(*name)?.as_str());
        meta.get(*name).and_then(Value::as_str).or(inner)
    });
    let kind = || update["kind"].as_str().unwrap_or("other");
    named.unwrap_or_else(kind)
}

/// Returns the kind that the protocol's kind means.
pub(crate) fn tool_kind(kind: &str) -> ToolKind {
    match kind {
        "edit" | "delete" | "move" => ToolKind::Edit,
        known => ToolKind::named(known).unwrap_or(ToolKind::Other),
    }
}

/// Returns the denial of a permission request.
pub(crate) fn denial(call: &Value) -> Denial {
    Denial {
        tool: tool_name(call).to_owned(),
        input: call.get("rawInput").cloned(),
        reason: None,
    }
}

fn output(update: &Value) -> Value {
    let texts = items(&update["content"]).filter_map(|item| item["content"]["text"].as_str());
    let texts: Vec<&str> = texts.collect();
    match (update.get("rawOutput"), texts.is_empty()) {
        (Some(raw), true) => raw.clone(),
        (_, false) => Value::String(texts.join("\n")),
        (None, true) => Value::Null,
    }
}

/// Returns the exit code of a command, wherever the agent puts it.
fn exit_code(update: &Value) -> Option<i64> {
    const NAMES: &[&str] = &["exit_code", "exitCode", "exit"];
    let raw = &update["rawOutput"];
    let places = [
        raw,
        &raw["metadata"],
        &raw["shellExecution"],
        &update["_meta"]["terminal_exit"],
    ];
    let mut codes = places
        .iter()
        .flat_map(|place| NAMES.iter().filter_map(|name| place.get(*name)?.as_i64()));
    codes.next()
}

fn end(result: &Value, draft: &mut Draft) {
    let usage = &result["usage"];
    if usage.is_object() {
        let cached = number(&usage["cachedReadTokens"]);
        let written = number(&usage["cachedWriteTokens"]);
        draft.set_tokens(Tokens {
            input: number(&usage["inputTokens"])
                .saturating_add(cached)
                .saturating_add(written),
            output: number(&usage["outputTokens"]),
            cached: Some(cached),
            reasoning: Some(number(&usage["thoughtTokens"])).filter(|count| *count > 0),
        });
    }
    let reason = text(&result["stopReason"]);
    draft.finish_reason(match reason {
        "max_turn_requests" => MAX_TURNS,
        reason => reason,
    });
    draft.end(match reason {
        "cancelled" => DraftEnd::Failed("the turn was cancelled".to_owned()),
        _ => DraftEnd::Done,
    });
}

fn error_text(error: &Value) -> String {
    let message = text(&error["message"]);
    let details = error["data"]["details"].as_str();
    let details = details.or_else(|| error["data"]["message"].as_str());
    match details.or_else(|| error["data"].as_str()) {
        Some(details) if details != message => format!("{message}: {details}"),
        _ => message.to_owned(),
    }
}
