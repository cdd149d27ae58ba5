//! The events of Claude Code, which Qwen Code prints too.

use std::collections::HashSet;

use agentv_core::{Denial, ToolKind};
use serde_json::Value;

use super::draft::{Call, Draft, DraftEnd, MAX_TURNS, Tokens};
use super::kind::ReadEvents;
use super::text::{exit_code_in, items, number, text, text_of_blocks};
use super::turn::Turn;

/// A reader of Claude Code's events.
///
/// There is an event for each block of a message, so that blocks with the same `message.id` belong
/// together. Only the last event has the final usage.
pub(crate) struct ClaudeEvents {
    input: InputTokens,
    turn: Turn,
    /// The ids of the messages so far.
    seen: HashSet<String>,
}

/// The meaning of `input_tokens`, in which the two agents differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InputTokens {
    /// Cached tokens come on top.
    WithoutCached,
    /// Cached tokens are included.
    WithCached,
}

impl ReadEvents for ClaudeEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        match text(&event["type"]) {
            "system" => system(event, draft),
            "assistant" => self.assistant(event, draft),
            "user" => self.results(event, draft),
            "result" => self.result(event, draft),
            _ => {}
        }
    }

    /// A subagent in the background may report after the result: then a new message follows, and a new
    /// result, which replaces the first.
    fn resumes(&self, event: &Value) -> bool {
        let is_new = || !self.seen.contains(text(&event["message"]["id"]));
        event["type"] == "result" || (event["type"] == "assistant" && is_new())
    }
}

impl ClaudeEvents {
    pub(crate) fn new(input: InputTokens) -> ClaudeEvents {
        ClaudeEvents {
            input,
            turn: Turn::default(),
            seen: HashSet::new(),
        }
    }

    /// Takes a block of a message. Qwen Code gives each block a name of its own.
    fn assistant(&mut self, event: &Value, draft: &mut Draft) {
        let message = &event["message"];
        self.seen.insert(text(&message["id"]).to_owned());
        let parent = event["parent_tool_use_id"].as_str();
        let turn = match (self.input, parent) {
            (InputTokens::WithCached, None) => Some(self.turn.name()),
            _ => None,
        };
        let id = turn.as_deref().or_else(|| message["id"].as_str());
        for block in items(&message["content"]) {
            match text(&block["type"]) {
                "text" => draft.say(id, text(&block["text"])),
                "tool_use" => draft.call(&Call {
                    id: text(&block["id"]),
                    tool: text(&block["name"]),
                    input: block.get("input"),
                    message: id,
                    parent,
                }),
                _ => {}
            }
        }
    }

    fn results(&mut self, event: &Value, draft: &mut Draft) {
        for block in items(&event["message"]["content"]) {
            if block["type"] != "tool_result" {
                continue;
            }
            self.turn.end();
            let id = text(&block["tool_use_id"]);
            let output = text_of_blocks(&block["content"]);
            let is_error = block["is_error"] == true;
            draft.result(id, &output, is_error);
            let is_command =
                draft.known(id).and_then(|call| call.kind()) == Some(ToolKind::Execute);
            let code = exit_code(&output, is_error, &event["tool_use_result"]);
            if let (true, Some(code)) = (is_command, code) {
                draft.exit_code(id, code);
            }
        }
    }

    fn result(&self, event: &Value, draft: &mut Draft) {
        if let Some(tokens) = self.tokens(event) {
            draft.set_tokens(tokens);
        }
        if let Some(cost) = event["total_cost_usd"].as_f64() {
            draft.set_cost(cost);
        }
        if let Some(duration) = event["duration_ms"].as_f64() {
            draft.set_duration(duration);
        }
        for denial in items(&event["permission_denials"]) {
            deny(denial, draft);
        }
        end(event, draft);
    }

    /// Returns the tokens of all models, including those of subagents, if they are listed.
    fn tokens(&self, event: &Value) -> Option<Tokens> {
        let models = event["modelUsage"].as_object();
        let mut sum = Tokens::default();
        for usage in models.into_iter().flat_map(|models| models.values()) {
            sum.add(self.counted(
                [
                    &usage["inputTokens"],
                    &usage["cacheReadInputTokens"],
                    &usage["cacheCreationInputTokens"],
                ],
                &usage["outputTokens"],
            ));
        }
        if !sum.is_zero() {
            return Some(sum);
        }
        let usage = event["usage"].as_object()?;
        let count = |name: &str| usage.get(name).unwrap_or(&Value::Null);
        let input = [
            count("input_tokens"),
            count("cache_read_input_tokens"),
            count("cache_creation_input_tokens"),
        ];
        Some(self.counted(input, count("output_tokens")))
    }

    fn counted(&self, input: [&Value; 3], output: &Value) -> Tokens {
        let [plain, cached, written] = input.map(number);
        let more = match self.input {
            InputTokens::WithoutCached => cached.saturating_add(written),
            InputTokens::WithCached => 0,
        };
        Tokens {
            input: plain.saturating_add(more),
            output: number(output),
            cached: Some(cached),
            reasoning: None,
        }
    }
}

fn system(event: &Value, draft: &mut Draft) {
    match text(&event["subtype"]) {
        "init" => {
            for name in ["claude_code_version", "qwen_code_version"] {
                if let Some(version) = event[name].as_str() {
                    draft.version(version);
                }
            }
            draft.model(text(&event["model"]));
            draft.session(text(&event["session_id"]));
        }
        "api_retry" => draft.retry(),
        _ => {}
    }
}

/// Returns the exit code of a command. Claude Code states it only if the command failed.
fn exit_code(output: &Value, is_error: bool, details: &Value) -> Option<i64> {
    if is_error {
        return exit_code_in(output.as_str()?, &["Exit code ", "Exit Code: "]);
    }
    // Qwen Code states nothing about a command that succeeded.
    let is_over = details.is_null()
        || details.get("stdout").is_some()
            && details["interrupted"] != true
            && details.get("backgroundTaskId").is_none()
            && details.get("returnCodeInterpretation").is_none();
    is_over.then_some(0)
}

fn deny(denial: &Value, draft: &mut Draft) {
    let input = denial.get("tool_input").cloned();
    draft.deny(
        text(&denial["tool_use_id"]),
        Denial {
            tool: text(&denial["tool_name"]).to_owned(),
            input,
            reason: None,
        },
    );
}

fn end(event: &Value, draft: &mut Draft) {
    let words = event["result"].as_str();
    let words = words.or_else(|| event["error"]["message"].as_str());
    let first = items(&event["errors"]).next().and_then(Value::as_str);
    let words = words.or(first).unwrap_or_default();
    let subtype = text(&event["subtype"]);
    if subtype == "error_max_turns" || event["terminal_reason"] == "max_turns" {
        draft.finish_reason(MAX_TURNS);
        return draft.end(DraftEnd::Done);
    }
    if event["is_error"] == true || subtype.starts_with("error") {
        let status = event["api_error_status"].as_u64();
        let message = match (status, words) {
            (Some(status), words) if !words.contains(&status.to_string()) => {
                format!("{status} {words}")
            }
            (_, "") => subtype.to_owned(),
            (_, words) => words.to_owned(),
        };
        return draft.end(DraftEnd::Failed(message));
    }
    if !words.is_empty() && draft.last_text().as_deref() != Some(words) {
        draft.say(None, words);
    }
    if let Some(reason) = event["stop_reason"].as_str() {
        draft.finish_reason(reason);
    }
    draft.end(DraftEnd::Done);
}
