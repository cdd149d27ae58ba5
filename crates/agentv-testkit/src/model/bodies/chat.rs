//! OpenAI's chat completions, and the errors of all its APIs.

use super::stream::Event;
use super::{Call, Form, Said, call, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let Said { number, model, .. } = said;
    let (model, choices, usage) = (quoted(model), choices(said), usage(said));
    format!(
        r#"{{"id":"chatcmpl-{number}","object":"chat.completion","created":1700000000,"model":{model},"choices":[{choices}]{usage}}}"#
    )
}

/// Returns the same answer as events: the text or the call, the finish reason, the usage.
pub(crate) fn events(said: &Said<'_>) -> Vec<Event> {
    let Said { number, model, .. } = said;
    let (model, usage) = (quoted(model), usage(said));
    let event = |choices: &str, usage: &str| {
        format!(
            r#"{{"id":"chatcmpl-{number}","object":"chat.completion.chunk","created":1700000000,"model":{model},"choices":[{choices}]{usage}}}"#
        )
    };
    let delta = match said.form {
        Form::Nothing => None,
        Form::Calls(calls) => Some(tool_calls(said, calls)),
        Form::Cut | Form::Text => Some(format!(r#""content":{}"#, quoted(said.text))),
    };
    let mut events = Vec::new();
    if let Some(delta) = delta {
        let reason = reason(said.form);
        let said =
            format!(r#"{{"index":0,"delta":{{"role":"assistant",{delta}}},"finish_reason":null}}"#);
        let end = format!(r#"{{"index":0,"delta":{{}},"finish_reason":"{reason}"}}"#);
        events.push(Event::part(event(&said, "")));
        events.push(Event::end(event(&end, "")));
    }
    if !usage.is_empty() {
        events.push(Event::end(event("", &usage)));
    }
    events.push(Event::end("[DONE]".to_owned()));
    events
}

fn choices(said: &Said<'_>) -> String {
    let message = match said.form {
        Form::Nothing => return String::new(),
        Form::Calls(calls) => tool_calls(said, calls),
        Form::Cut | Form::Text => format!(r#""content":{}"#, quoted(said.text)),
    };
    let reason = reason(said.form);
    format!(
        r#"{{"index":0,"message":{{"role":"assistant",{message}}},"logprobs":null,"finish_reason":"{reason}"}}"#
    )
}

fn reason(form: Form<'_>) -> &'static str {
    match form {
        Form::Calls(_) => "tool_calls",
        Form::Cut => "length",
        Form::Text | Form::Nothing => "stop",
    }
}

fn tool_calls(said: &Said<'_>, calls: &[Call]) -> String {
    let content = if said.has_text() {
        quoted(said.text)
    } else {
        "null".to_owned()
    };
    let calls = calls.iter().enumerate().map(|(index, call)| {
        let id = call::id("call", said.number, index);
        let (name, arguments) = (call.name(), quoted(&call.arguments()));
        format!(
            r#"{{"index":{index},"id":"{id}","type":"function","function":{{"name":{name},"arguments":{arguments}}}}}"#
        )
    });
    let calls = calls.collect::<Vec<_>>().join(",");
    format!(r#""content":{content},"tool_calls":[{calls}]"#)
}

fn usage(said: &Said<'_>) -> String {
    let Some(usage) = said.usage else {
        return String::new();
    };
    let (input, output, cached) = (usage.input, usage.output, usage.cached);
    let total = input + output;
    format!(
        r#","usage":{{"prompt_tokens":{input},"completion_tokens":{output},"total_tokens":{total},"prompt_tokens_details":{{"cached_tokens":{cached}}}}}"#
    )
}

pub(crate) fn error(status: u16, message: &str) -> String {
    let (kind, code) = match status {
        401 => ("invalid_request_error", r#""invalid_api_key""#),
        403 => ("invalid_request_error", r#""unsupported_country_region""#),
        404 => ("invalid_request_error", r#""model_not_found""#),
        429 => ("requests", r#""rate_limit_exceeded""#),
        400..500 => ("invalid_request_error", "null"),
        _ => ("server_error", "null"),
    };
    write(message, kind, code)
}

pub(crate) fn quota() -> String {
    let message = "You exceeded your current quota, please check your plan and billing details.";
    write(message, "insufficient_quota", r#""insufficient_quota""#)
}

fn write(message: &str, kind: &str, code: &str) -> String {
    let message = quoted(message);
    format!(r#"{{"error":{{"message":{message},"type":"{kind}","param":null,"code":{code}}}}}"#)
}
