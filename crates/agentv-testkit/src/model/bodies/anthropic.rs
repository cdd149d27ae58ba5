//! Anthropic's messages.

use super::stream::Event;
use super::{Form, Said, call, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let Said { number, model, .. } = said;
    let (model, usage) = (quoted(model), usage(said));
    let (content, reason) = content(said);
    format!(
        r#"{{"id":"msg_{number}","type":"message","role":"assistant","model":{model},"content":[{content}],"stop_reason":"{reason}","stop_sequence":null{usage}}}"#
    )
}

/// Returns the same answer as events: the start, the block, the end.
pub(crate) fn events(said: &Said<'_>) -> Vec<Event> {
    let Said { number, model, .. } = said;
    let (model, usage) = (quoted(model), usage(said));
    let (_, reason) = content(said);
    let part = |name: &'static str, data: String| Event::part(data).named(name);
    let end = |name: &'static str, data: String| Event::end(data).named(name);
    let mut events = vec![part(
        "message_start",
        format!(
            r#"{{"type":"message_start","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":{model},"content":[],"stop_reason":null{usage}}}}}"#
        ),
    )];
    events.push(part("ping", r#"{"type":"ping"}"#.to_owned()));
    for (index, (block, delta)) in blocks(said).into_iter().enumerate() {
        events.push(part(
            "content_block_start",
            format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#),
        ));
        events.push(part(
            "content_block_delta",
            format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#),
        ));
        events.push(part(
            "content_block_stop",
            format!(r#"{{"type":"content_block_stop","index":{index}}}"#),
        ));
    }
    events.push(end(
        "message_delta",
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}","stop_sequence":null}}{usage}}}"#
        ),
    ));
    events.push(end("message_stop", r#"{"type":"message_stop"}"#.to_owned()));
    events
}

/// Returns each block as it begins, and its content.
fn blocks(said: &Said<'_>) -> Vec<(String, String)> {
    let text = || {
        (
            r#"{"type":"text","text":""}"#.to_owned(),
            format!(r#"{{"type":"text_delta","text":{}}}"#, quoted(said.text)),
        )
    };
    let Form::Calls(calls) = said.form else {
        return match said.form {
            Form::Nothing => Vec::new(),
            _ => vec![text()],
        };
    };
    let calls = calls.iter().enumerate().map(|(position, call)| {
        let id = call::id("toolu", said.number, position);
        let (name, arguments) = (call.name(), quoted(&call.arguments()));
        (
            format!(r#"{{"type":"tool_use","id":"{id}","name":{name},"input":{{}}}}"#),
            format!(r#"{{"type":"input_json_delta","partial_json":{arguments}}}"#),
        )
    });
    said.has_text()
        .then(text)
        .into_iter()
        .chain(calls)
        .collect()
}

fn content(said: &Said<'_>) -> (String, &'static str) {
    let text = || format!(r#"{{"type":"text","text":{}}}"#, quoted(said.text));
    match said.form {
        Form::Nothing => (String::new(), "end_turn"),
        Form::Text => (text(), "end_turn"),
        Form::Cut => (text(), "max_tokens"),
        Form::Calls(calls) => {
            let calls = calls.iter().enumerate().map(|(position, call)| {
                let id = call::id("toolu", said.number, position);
                let (name, arguments) = (call.name(), call.arguments());
                format!(r#"{{"type":"tool_use","id":"{id}","name":{name},"input":{arguments}}}"#)
            });
            let parts = said.has_text().then(text).into_iter().chain(calls);
            (parts.collect::<Vec<_>>().join(","), "tool_use")
        }
    }
}

/// Anthropic reports cached tokens separately from the input tokens.
fn usage(said: &Said<'_>) -> String {
    let Some(usage) = said.usage else {
        return String::new();
    };
    let (output, cached) = (usage.output, usage.cached);
    let input = usage.input.saturating_sub(cached);
    format!(
        r#","usage":{{"input_tokens":{input},"cache_creation_input_tokens":0,"cache_read_input_tokens":{cached},"output_tokens":{output}}}"#
    )
}

pub(crate) fn error(status: u16, message: &str) -> String {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        400..500 => "invalid_request_error",
        _ => "api_error",
    };
    write(kind, message)
}

pub(crate) fn quota() -> String {
    let message = "Your credit balance is too low to access the Anthropic API.";
    write("invalid_request_error", message)
}

fn write(kind: &str, message: &str) -> String {
    let message = quoted(message);
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":{message}}}}}"#)
}
