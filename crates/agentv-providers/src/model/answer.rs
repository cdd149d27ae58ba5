//! The client crate's answer as a transcript.

use std::collections::HashSet;

use agentv_core::{Content, Extra, Message, ProviderError, Role, TokenUsage, ToolCall, Transcript};
use genai::ModelIden;
use genai::chat::{ChatResponse, ContentPart, Usage};
use serde_json::{Value, json};

use super::asked_model::AskedModel;
use super::failure::{refused_in_body, unreadable};
use crate::answer::{DEEPEST, can_be_kept};

/// Converts an answer to a transcript.
///
/// An answer may be empty if the vendor reports why the model stopped. Without text and reason it is an
/// error, and so is an answer that reports an error in its body.
pub(super) fn transcript(
    asked: &AskedModel,
    mut response: ChatResponse,
) -> Result<Transcript, ProviderError> {
    let body = response.captured_raw_body.take().unwrap_or_default();
    let finish_reason = finish_reason(&response, &body);
    let mut said = Said::of(response.content.into_parts());
    if asked.vendor.protocol.may_leave_ids_out() {
        said.forget_ids_beside(&ids_in(&body));
    }
    if said.text.is_empty() {
        said.text = refusal(&body).unwrap_or_default().to_owned();
    }
    if failed(&body) || (finish_reason.is_none() && said.is_nothing()) {
        return Err(no_message(asked, &body));
    }
    let usage = normal(asked, response.usage);
    let model = model(asked, response.model_iden, response.provider_model_iden);
    let price = asked.price(&model);
    let cost = || price.and_then(|price| price.cost(&usage));
    let told = || {
        let cost = body.pointer("/usage/cost").and_then(Value::as_f64);
        cost.filter(|cost| *cost >= 0.0)
    };
    let transcript = Transcript {
        output_messages: vec![said.into_message()],
        token_usage: token_usage(&usage),
        cost_usd: match asked.price {
            Some(_) => cost(),
            None => told().or_else(cost),
        },
        duration_ms: None,
        finish_reason,
        model: Some(model),
        trace: response
            .reasoning_content
            .filter(|reasoning| !reasoning.is_empty())
            .map(|reasoning| json!({ "reasoning": reasoning })),
        warnings: Vec::new(),
    };
    if !can_be_kept(&transcript) {
        let why =
            format!("the arguments of a tool call are nested more than {DEEPEST} levels deep");
        return Err(unreadable(asked, &why));
    }
    Ok(transcript)
}

/// Returns the name of the model that answered: its own, or else the one in the request.
fn model(asked: &AskedModel, sent: ModelIden, answered: ModelIden) -> String {
    if answered.model_name == sent.model_name {
        asked.model.clone()
    } else {
        answered.model_name.into()
    }
}

/// Returns the empty transcript of a prompt that the vendor blocked. The client only sees that there is
/// no answer.
pub(super) fn blocked(asked: &AskedModel, body: &Value) -> Option<Transcript> {
    let reason = body.pointer("/promptFeedback/blockReason")?.as_str()?;
    Some(Transcript {
        finish_reason: Some(reason.to_ascii_lowercase()),
        model: Some(asked.model.clone()),
        ..Transcript::of_text("")
    })
}

/// Returns the text of the model without its reasoning.
#[derive(Default)]
struct Said {
    text: String,
    tool_calls: Vec<ToolCall>,
}

impl Said {
    fn of(parts: Vec<ContentPart>) -> Said {
        let mut said = Said::default();
        for part in parts {
            match part {
                ContentPart::Text(text) if said.text.is_empty() => said.text = text,
                ContentPart::Text(text) => said.text.push_str(&text),
                ContentPart::ToolCall(call) => said.tool_calls.push(tool_call(call)),
                ContentPart::Binary(_)
                | ContentPart::ToolResponse(_)
                | ContentPart::ThoughtSignature(_)
                | ContentPart::ReasoningContent(_)
                | ContentPart::Custom(_) => {}
            }
        }
        said
    }

    /// Removes ids of tool calls that the client made up.
    fn forget_ids_beside(&mut self, sent: &HashSet<&str>) {
        for call in &mut self.tool_calls {
            call.id = call.id.take().filter(|id| sent.contains(id.as_str()));
        }
    }

    fn is_nothing(&self) -> bool {
        self.text.is_empty() && self.tool_calls.is_empty()
    }

    fn into_message(self) -> Message {
        let only_calls = self.text.is_empty() && !self.tool_calls.is_empty();
        Message {
            role: Role::Assistant,
            content: (!only_calls).then_some(Content::Text(self.text)),
            name: None,
            tool_calls: self.tool_calls,
            extra: Extra::new(),
        }
    }
}

/// Collects all values named `id` in a body.
fn ids_in(body: &Value) -> HashSet<&str> {
    let mut ids = HashSet::new();
    let mut values = vec![body];
    while let Some(value) = values.pop() {
        match value {
            Value::Array(items) => values.extend(items),
            Value::Object(fields) => {
                ids.extend(fields.get("id").and_then(Value::as_str));
                values.extend(fields.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    ids
}

fn tool_call(call: genai::chat::ToolCall) -> ToolCall {
    ToolCall {
        tool: call.fn_name,
        input: Some(call.fn_arguments),
        output: None,
        id: (!call.call_id.is_empty()).then_some(call.call_id),
        timestamp: None,
        duration_ms: None,
        extra: Extra::new(),
    }
}

/// Returns the reason why the model stopped, in the vendor's words in lower case.
fn finish_reason(response: &ChatResponse, body: &Value) -> Option<String> {
    let more_exactly = body.pointer("/incomplete_details/reason");
    let reason = more_exactly
        .and_then(Value::as_str)
        .or_else(|| response.stop_reason.as_ref().map(|reason| reason.raw()))?;
    Some(reason.to_ascii_lowercase())
}

/// Returns the model's refusal, in OpenAI's two protocols.
fn refusal(body: &Value) -> Option<&str> {
    let in_chat = || body.pointer("/choices/0/message/refusal")?.as_str();
    let in_responses = || {
        let items = body.get("output")?.as_array()?.iter();
        let mut parts = items
            .filter_map(|item| item.get("content")?.as_array())
            .flatten();
        parts.find_map(|part| part.get("refusal")?.as_str())
    };
    in_chat().or_else(in_responses)
}

/// Checks whether the body itself reports that there is no answer (OpenAI's responses).
fn failed(body: &Value) -> bool {
    body.get("status").and_then(Value::as_str) == Some("failed")
}

/// Returns the error of an answer without a message.
pub(super) fn no_message(asked: &AskedModel, body: &Value) -> ProviderError {
    match asked.words_in(body) {
        Some(words) => refused_in_body(asked, &words),
        None => {
            let fields = body
                .as_object()
                .into_iter()
                .flat_map(|fields| fields.keys());
            let fields: Vec<&str> = fields.take(8).map(String::as_str).collect();
            let why = match fields.as_slice() {
                [] => "it has no message".to_owned(),
                fields => {
                    let found = asked.excerpt(&fields.join("`, `"));
                    format!("it has no message, only `{found}`")
                }
            };
            unreadable(asked, &why)
        }
    }
}

/// Returns the usage, with cached tokens as part of the input.
fn normal(asked: &AskedModel, mut usage: Usage) -> Usage {
    if asked.vendor.protocol.counts_cached_apart()
        && let (Some(input), Some(details)) =
            (&mut usage.prompt_tokens, &usage.prompt_tokens_details)
    {
        let apart = [details.cached_tokens, details.cache_creation_tokens];
        *input = apart
            .into_iter()
            .flatten()
            .fold(*input, i32::saturating_add);
    }
    // Google counts tokens of thinking separately from those of the answer, and omits the latter
    // if it is 0.
    let thought = usage.completion_tokens_details.as_ref();
    let thought = thought.and_then(|details| details.reasoning_tokens);
    usage.completion_tokens = usage.completion_tokens.or(thought);
    usage
}

fn token_usage(usage: &Usage) -> Option<TokenUsage> {
    let count = |tokens: i32| u64::try_from(tokens).unwrap_or(0);
    if usage.prompt_tokens.is_none() && usage.completion_tokens.is_none() {
        return None;
    }
    let details = usage.prompt_tokens_details.as_ref();
    Some(TokenUsage {
        input: usage.prompt_tokens.map_or(0, count),
        output: usage.completion_tokens.map_or(0, count),
        cached: details.and_then(|details| details.cached_tokens).map(count),
    })
}
