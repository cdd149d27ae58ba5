//! The nesting depth of the values in an answer.

use agentv_core::{Block, Content, Extra, Message, ToolCall, Transcript};
use serde_json::Value;

/// The deepest nesting of a value in an answer. A record with a deeper one could not be read back.
pub(crate) const DEEPEST: usize = 100;

/// Checks whether a record of the transcript can be read back.
pub(crate) fn can_be_kept(transcript: &Transcript) -> bool {
    let trace = transcript.trace.iter().all(fits);
    trace && transcript.output_messages.iter().all(message_fits)
}

fn message_fits(message: &Message) -> bool {
    fields_fit(&message.extra)
        && message.content.as_ref().is_none_or(content_fits)
        && message.tool_calls.iter().all(call_fits)
}

fn call_fits(call: &ToolCall) -> bool {
    fields_fit(&call.extra) && call.input.iter().chain(&call.output).all(fits)
}

fn content_fits(content: &Content) -> bool {
    match content {
        Content::Text(_) => true,
        Content::Structured(value) => fits(value),
        Content::Blocks(blocks) => blocks.iter().all(|block| match block {
            Block::Text(block) => fields_fit(&block.extra),
            Block::File(block) => fields_fit(&block.extra),
            Block::Other(fields) => fields_fit(fields),
        }),
    }
}

fn fields_fit(fields: &Extra) -> bool {
    fields.values().all(fits)
}

fn fits(value: &Value) -> bool {
    is_within(value, DEEPEST)
}

/// Checks that at most `levels` arrays and objects are nested.
pub(crate) fn is_within(value: &Value, levels: usize) -> bool {
    let inside = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return true,
        _ if levels == 0 => return false,
        Value::Array(items) => return items.iter().all(|item| is_within(item, levels - 1)),
        Value::Object(fields) => fields,
    };
    inside.values().all(|value| is_within(value, levels - 1))
}
