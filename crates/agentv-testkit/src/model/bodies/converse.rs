//! Amazon's converse.

use super::stream::Event;
use super::{Form, Said, call, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let (content, reason) = content(said);
    let usage = usage(said);
    format!(
        r#"{{"output":{{"message":{{"role":"assistant","content":[{content}]}}}},"stopReason":"{reason}"{usage}}}"#
    )
}

/// Returns the same answer as events: the start, the block, the end, the usage.
pub(crate) fn events(said: &Said<'_>) -> Vec<Event> {
    let (_, reason) = content(said);
    let part = |name: &'static str, data: &str| Event::part(data.to_owned()).named(name);
    let mut events = vec![part("messageStart", r#"{"role":"assistant"}"#)];
    for (index, (start, delta)) in blocks(said).into_iter().enumerate() {
        if let Some(start) = start {
            let start = format!(r#"{{"contentBlockIndex":{index},"start":{start}}}"#);
            events.push(part("contentBlockStart", &start));
        }
        let delta = format!(r#"{{"contentBlockIndex":{index},"delta":{delta}}}"#);
        events.push(part("contentBlockDelta", &delta));
        let stop = format!(r#"{{"contentBlockIndex":{index}}}"#);
        events.push(part("contentBlockStop", &stop));
    }
    let stop = format!(r#"{{"stopReason":"{reason}"}}"#);
    events.push(Event::end(stop).named("messageStop"));
    let usage = usage(said);
    let metadata = format!(r#"{{"metrics":{{"latencyMs":1}}{usage}}}"#);
    events.push(Event::end(metadata).named("metadata"));
    events
}

/// Returns each block as it begins, if that is said, and its content.
fn blocks(said: &Said<'_>) -> Vec<(Option<String>, String)> {
    let text = || (None, format!(r#"{{"text":{}}}"#, quoted(said.text)));
    let Form::Calls(calls) = said.form else {
        return match said.form {
            Form::Nothing => Vec::new(),
            _ => vec![text()],
        };
    };
    let calls = calls.iter().enumerate().map(|(position, call)| {
        let id = call::id("tooluse", said.number, position);
        let (name, arguments) = (call.name(), quoted(&call.arguments()));
        (
            Some(format!(
                r#"{{"toolUse":{{"toolUseId":"{id}","name":{name}}}}}"#
            )),
            format!(r#"{{"toolUse":{{"input":{arguments}}}}}"#),
        )
    });
    said.has_text()
        .then(text)
        .into_iter()
        .chain(calls)
        .collect()
}

fn content(said: &Said<'_>) -> (String, &'static str) {
    let text = || format!(r#"{{"text":{}}}"#, quoted(said.text));
    match said.form {
        Form::Nothing => (String::new(), "end_turn"),
        Form::Text => (text(), "end_turn"),
        Form::Cut => (text(), "max_tokens"),
        Form::Calls(calls) => {
            let calls = calls.iter().enumerate().map(|(position, call)| {
                let id = call::id("tooluse", said.number, position);
                let (name, arguments) = (call.name(), call.arguments());
                format!(r#"{{"toolUse":{{"toolUseId":"{id}","name":{name},"input":{arguments}}}}}"#)
            });
            let parts = said.has_text().then(text).into_iter().chain(calls);
            (parts.collect::<Vec<_>>().join(","), "tool_use")
        }
    }
}

/// Amazon reports cached tokens separately from the input tokens.
fn usage(said: &Said<'_>) -> String {
    let Some(usage) = said.usage else {
        return String::new();
    };
    let (output, cached) = (usage.output, usage.cached);
    let input = usage.input.saturating_sub(cached);
    let total = usage.input + output;
    format!(
        r#","usage":{{"inputTokens":{input},"outputTokens":{output},"totalTokens":{total},"cacheReadInputTokens":{cached},"cacheWriteInputTokens":0}}"#
    )
}

pub(crate) fn error(message: &str) -> String {
    format!(r#"{{"message":{}}}"#, quoted(message))
}
