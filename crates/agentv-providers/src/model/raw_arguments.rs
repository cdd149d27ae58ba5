//! Answers with tool calls whose arguments are not JSON, which the client crate refuses.

use genai::ModelIden;
use genai::chat::{ChatResponse, ContentPart, StopReason, ToolCall, Usage};
use serde_json::{Value, json};

use super::asked_model::AskedModel;
use super::vendor::Protocol;

/// Returns the answer of a body that has a tool call whose arguments are not JSON, or `None` if it has
/// none. Such arguments are kept as a string: they are what the model said.
pub(super) fn with_raw_arguments(asked: &AskedModel, body: &Value) -> Option<ChatResponse> {
    let said = match asked.vendor.protocol {
        Protocol::Chat => of_chat(body)?,
        Protocol::Responses => of_responses(body)?,
        _ => return None,
    };
    if !said.has_raw_arguments {
        return None;
    }
    let name = body.get("model").and_then(Value::as_str);
    let model = |name: &str| ModelIden::new(asked.vendor.adapter, name.to_owned());
    Some(ChatResponse {
        content: said.parts.into(),
        reasoning_content: said.reasoning,
        model_iden: model(&asked.model),
        provider_model_iden: model(name.unwrap_or(&asked.model)),
        stop_reason: said.stop_reason,
        usage: said.usage,
        captured_raw_body: Some(body.clone()),
        response_id: None,
    })
}

/// The parts of an answer that a transcript keeps.
#[derive(Default)]
struct Said {
    parts: Vec<ContentPart>,
    reasoning: Option<String>,
    has_raw_arguments: bool,
    stop_reason: Option<StopReason>,
    usage: Usage,
}

impl Said {
    fn add_text(&mut self, text: Option<&Value>) {
        if let Some(text) = text.and_then(Value::as_str).filter(|text| !text.is_empty()) {
            self.parts.push(ContentPart::Text(text.to_owned()));
        }
    }

    fn add_call(&mut self, id: Option<&Value>, function: &Value) -> Option<()> {
        let arguments = function.get("arguments")?;
        let parsed = match arguments {
            Value::String(text) => serde_json::from_str(text).ok(),
            other => Some(other.clone()),
        };
        self.has_raw_arguments |= parsed.is_none();
        let id = id.and_then(Value::as_str).unwrap_or_default();
        self.parts.push(ContentPart::ToolCall(ToolCall {
            call_id: id.to_owned(),
            fn_name: function.get("name")?.as_str()?.to_owned(),
            fn_arguments: parsed.unwrap_or_else(|| arguments.clone()),
            thought_signatures: None,
        }));
        Some(())
    }
}

/// Reads the first choice of OpenAI's chat completions.
fn of_chat(body: &Value) -> Option<Said> {
    let choice = body.pointer("/choices/0")?;
    let message = choice.get("message")?;
    let reason = choice.get("finish_reason").and_then(Value::as_str);
    let usage = body.get("usage").cloned().unwrap_or_default();
    let reasoning = message.get("reasoning_content").and_then(Value::as_str);
    let mut said = Said {
        reasoning: reasoning.map(str::to_owned),
        stop_reason: reason.map(|reason| reason.to_owned().into()),
        usage: serde_json::from_value(usage).unwrap_or_default(),
        ..Said::default()
    };
    said.add_text(message.get("content"));
    for call in message.get("tool_calls")?.as_array()? {
        said.add_call(call.get("id"), call.get("function")?)?;
    }
    Some(said)
}

/// Reads the output of OpenAI's responses.
fn of_responses(body: &Value) -> Option<Said> {
    let count = |name: &str| body.pointer(name).cloned().unwrap_or_default();
    let usage = json!({
        "prompt_tokens": count("/usage/input_tokens"),
        "completion_tokens": count("/usage/output_tokens"),
        "prompt_tokens_details": {"cached_tokens": count("/usage/input_tokens_details/cached_tokens")},
    });
    let status = body.get("status").and_then(Value::as_str);
    let mut said = Said {
        stop_reason: status.map(|status| status.to_owned().into()),
        usage: serde_json::from_value(usage).unwrap_or_default(),
        ..Said::default()
    };
    for item in body.get("output")?.as_array()? {
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => said.add_call(item.get("call_id"), item)?,
            Some("message") => {
                let content = item.get("content").and_then(Value::as_array);
                for part in content.into_iter().flatten() {
                    said.add_text(part.get("text"));
                }
            }
            _ => {}
        }
    }
    Some(said)
}
