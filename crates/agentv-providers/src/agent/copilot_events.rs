//! The events of Copilot CLI, completed by its usage file and its session.

use agentv_core::Denial;
use serde_json::Value;

use super::draft::{Call, Draft, DraftEnd, Tokens};
use super::kind::ReadEvents;
use super::text::{items, number, text};

/// A reader of Copilot's events. Most of them are noise.
///
/// A command that failed counts as a success: the exit code says otherwise. Only the usage file has
/// the tokens.
#[derive(Default)]
pub(crate) struct CopilotEvents {
    last_error: Option<String>,
    has_usage_file: bool,
}

impl ReadEvents for CopilotEvents {
    fn event(&mut self, event: &Value, draft: &mut Draft) {
        let data = &event["data"];
        match text(&event["type"]) {
            "assistant.message" => message(data, draft),
            "tool.execution_start" => draft.call(&Call {
                id: text(&data["toolCallId"]),
                tool: text(&data["toolName"]),
                input: data.get("arguments"),
                parent: data["parentToolCallId"].as_str(),
                ..Call::default()
            }),
            "tool.execution_complete" => result(data, draft),
            "session.error" => self.last_error = Some(text(&data["message"]).to_owned()),
            "model.call_retry" | "session.model_retry" => draft.retry(),
            "result" => self.end_of_run(event, draft),
            _ => {}
        }
    }

    fn session_file(&mut self, name: &str, file: &str, draft: &mut Draft) {
        if name.ends_with("usage.json") {
            let usage: Value = serde_json::from_str(file).unwrap_or_default();
            self.has_usage_file |= count(&usage["modelMetrics"], draft);
            return;
        }
        if !name.ends_with("events.jsonl") {
            return;
        }
        for line in file.lines() {
            let event: Value = serde_json::from_str(line).unwrap_or_default();
            let data = &event["data"];
            match text(&event["type"]) {
                "session.start" => {
                    if let Some(version) = data["copilotVersion"].as_str() {
                        draft.version(version);
                    }
                }
                // A run that was cut off has no usage file.
                "session.usage_record" if !self.has_usage_file => {
                    draft.add_tokens(tokens(&data["usage"]));
                }
                _ => {}
            }
        }
    }
}

impl CopilotEvents {
    fn end_of_run(&mut self, event: &Value, draft: &mut Draft) {
        draft.session(text(&event["sessionId"]));
        if let Some(duration) = event["usage"]["sessionDurationMs"].as_f64() {
            draft.set_duration(duration);
        }
        let code = event["exitCode"].as_i64().unwrap_or(0);
        draft.end(match (code, self.last_error.take()) {
            (0, None) => DraftEnd::Done,
            (_, Some(error)) => DraftEnd::Failed(error),
            (code, None) => DraftEnd::Failed(format!("exit code {code}")),
        });
    }
}

fn message(data: &Value, draft: &mut Draft) {
    let id = data["messageId"].as_str();
    draft.model(text(&data["model"]));
    draft.say(id, text(&data["content"]));
    for request in items(&data["toolRequests"]) {
        draft.call(&Call {
            id: text(&request["toolCallId"]),
            tool: text(&request["name"]),
            input: request.get("arguments"),
            message: id,
            parent: data["parentToolCallId"].as_str(),
        });
    }
}

fn result(data: &Value, draft: &mut Draft) {
    let id = text(&data["toolCallId"]);
    let output = data["result"].get("content");
    let output = output.unwrap_or(&data["error"]["message"]);
    draft.result(id, output, data["success"] == false);
    if let Some(code) = data["shellExecution"]["exitCode"].as_i64() {
        draft.exit_code(id, code);
    }
    if matches!(text(&data["error"]["code"]), "denied" | "rejected") {
        let known = draft
            .known(id)
            .map(|call| (call.tool.clone(), call.input.clone()));
        let (tool, input) = known.unwrap_or_default();
        let reason = Some(text(&data["error"]["message"]).to_owned());
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

/// Sets the tokens of all models. Returns true if there are any.
fn count(models: &Value, draft: &mut Draft) -> bool {
    let mut sum = Tokens::default();
    for metrics in models
        .as_object()
        .into_iter()
        .flat_map(|models| models.values())
    {
        sum.add(tokens(&metrics["usage"]));
    }
    if sum.is_zero() {
        return false;
    }
    draft.set_tokens(sum);
    true
}

/// Returns the tokens of a usage. Its input includes cached tokens.
fn tokens(usage: &Value) -> Tokens {
    Tokens {
        input: number(&usage["inputTokens"]),
        output: number(&usage["outputTokens"]),
        cached: Some(number(&usage["cacheReadTokens"])),
        reasoning: None,
    }
}
