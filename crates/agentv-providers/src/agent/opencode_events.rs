//! The events of opencode.

use agentv_core::Denial;
use serde_json::Value;

use super::draft::{Call, Draft, DraftEnd, Tokens};
use super::kind::ReadEvents;
use super::text::{number, text};

/// A reader of opencode's events. A step is one call of the model, with its tokens and its cost.
#[derive(Default)]
pub(crate) struct OpencodeEvents;

impl ReadEvents for OpencodeEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        let part = &event["part"];
        match text(&event["type"]) {
            "step_start" => draft.session(text(&event["sessionID"])),
            "text" => draft.say(part["messageID"].as_str(), text(&part["text"])),
            "tool_use" => tool(part, draft),
            "step_finish" => step(part, draft),
            "error" => {
                let error = &event["error"];
                let words = text(&error["data"]["message"]);
                let words = if words.is_empty() {
                    text(&error["name"])
                } else {
                    words
                };
                let status = error["data"]["statusCode"].as_u64();
                draft.end(DraftEnd::Failed(match status {
                    Some(status) => format!("{status} {words}"),
                    None => words.to_owned(),
                }));
            }
            _ => {}
        }
    }

    fn resumes(&self, event: &Value) -> bool {
        event["type"] == "step_start"
    }
}

fn tool(part: &Value, draft: &mut Draft) {
    let (id, state) = (text(&part["callID"]), &part["state"]);
    // A call that opencode cannot make becomes one of this tool.
    let is_invalid = part["tool"] == "invalid" && state["input"]["error"].is_string();
    let tool = if is_invalid {
        text(&state["input"]["tool"])
    } else {
        text(&part["tool"])
    };
    draft.call(&Call {
        id,
        tool,
        input: state.get("input"),
        message: part["messageID"].as_str(),
        parent: None,
    });
    let is_error = state["status"] == "error";
    let output = if is_error {
        &state["error"]
    } else {
        &state["output"]
    };
    draft.result(id, output, is_error || is_invalid);
    if is_invalid && text(&state["input"]["error"]).contains("unavailable tool") {
        draft.unavailable(id);
    }
    if let Some(code) = state["metadata"]["exit"].as_i64() {
        draft.exit_code(id, code);
    }
    let time = &state["time"];
    if let (Some(start), Some(end)) = (time["start"].as_f64(), time["end"].as_f64()) {
        draft.duration(id, end - start);
    }
    if is_error && text(output).contains("rule which prevents") {
        let (tool, input) = (tool.to_owned(), state.get("input").cloned());
        let reason = Some(text(output).to_owned());
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

fn step(part: &Value, draft: &mut Draft) {
    let usage = &part["tokens"];
    if usage.is_object() {
        draft.add_tokens(tokens(usage));
    }
    if let Some(cost) = part["cost"].as_f64() {
        draft.add_cost(cost);
    }
    let reason = text(&part["reason"]);
    draft.finish_reason(reason);
    if reason != "tool-calls" {
        draft.end(DraftEnd::Done);
    }
}

/// Returns the tokens of a step. Neither cached tokens nor reasoning are included in the others.
fn tokens(usage: &Value) -> Tokens {
    let [input, output, reasoning] =
        ["input", "output", "reasoning"].map(|name| number(&usage[name]));
    let [cached, written] = ["read", "write"].map(|name| number(&usage["cache"][name]));
    let read = input.saturating_add(cached).saturating_add(written);
    // The total tells whether the output includes the reasoning.
    let rest = number(&usage["total"]).saturating_sub(read);
    let is_included = reasoning > 0 && rest == output;
    Tokens {
        input: read,
        output: if is_included {
            output
        } else {
            output.saturating_add(reasoning)
        },
        cached: Some(cached),
        reasoning: Some(reasoning).filter(|count| *count > 0),
    }
}
