//! An answer as a transcript.

use agentv_core::{Content, Extra, Message, Role, TokenUsage, Transcript};
use serde_json::Value;

use super::asked_model::AskedModel;
use crate::answer::can_be_kept;
use crate::wire::{CARRIED, ExchangeError, Heard, Reply};

/// Returns the transcript of an answer.
///
/// # Errors
/// If a record could not hold it.
pub(super) fn transcript(asked: &AskedModel, heard: Heard) -> Result<Transcript, ExchangeError> {
    let Heard {
        mut reply,
        request_id,
        first_token,
    } = heard;
    let model = reply.model.take().unwrap_or_else(|| asked.model.clone());
    let price = asked.price(&model);
    let token_usage = token_usage(&reply);
    // A cost without a part of the tokens would be wrong.
    let cost = || price.filter(|_| token_usage.is_some())?.cost(&reply.usage);
    let transcript = Transcript {
        token_usage,
        cost_usd: match asked.price {
            Some(_) => cost(),
            None => reply.cost.or_else(cost),
        },
        lacks_usage: token_usage.is_none(),
        finish_reason: reply.finish_reason.take(),
        model: Some(model),
        request_id: request_id.or(reply.id.take()),
        first_token_ms: first_token.map(|time| (time.as_secs_f64() * 1e6).round() / 1e3),
        trace: trace(&mut reply),
        output_messages: vec![message(reply)],
        ..Transcript::default()
    };
    if can_be_kept(&transcript) {
        Ok(transcript)
    } else {
        Err(ExchangeError::TooDeep)
    }
}

/// Returns what the vendor says about the answer besides the answer.
fn trace(reply: &mut Reply) -> Option<Value> {
    let mut trace = Extra::new();
    if !reply.reasoning.is_empty() {
        let reasoning = std::mem::take(&mut reply.reasoning);
        trace.insert("reasoning".to_owned(), Value::String(reasoning));
    }
    if let Some(logprobs) = reply.logprobs.take() {
        trace.insert("logprobs".to_owned(), logprobs);
    }
    if !reply.other.is_empty() {
        let other = std::mem::take(&mut reply.other);
        trace.insert("other_parts".to_owned(), Value::Array(other));
    }
    (!trace.is_empty()).then_some(Value::Object(trace))
}

fn message(reply: Reply) -> Message {
    let only_calls = reply.text.is_empty() && !reply.calls.is_empty();
    // Only the result of a call makes the model continue from here.
    let carried = reply.carried.filter(|_| !reply.calls.is_empty());
    let carried = carried.map(|data| (CARRIED.to_owned(), data));
    Message {
        role: Role::Assistant,
        content: (!only_calls).then_some(Content::Text(reply.text)),
        name: None,
        tool_calls: reply.calls,
        extra: Extra::from_iter(carried),
    }
}

/// Returns the tokens, if both counts are known. An answer that says nothing has no tokens.
fn token_usage(reply: &Reply) -> Option<TokenUsage> {
    let usage = &reply.usage;
    let is_silent = reply.text.is_empty() && reply.calls.is_empty() && reply.reasoning.is_empty();
    Some(TokenUsage {
        input: usage.input?,
        output: usage.output.or(is_silent.then_some(0))?,
        cached: usage.cached,
        reasoning: usage.reasoning,
    })
}
