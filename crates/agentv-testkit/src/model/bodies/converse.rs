//! Amazon's converse.

use super::stream::Event;
use super::{ARGUMENTS, Form, Said, quoted};

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
    match said.form {
        Form::Nothing => {}
        Form::Text | Form::Cut => {
            let text = quoted(said.text);
            let delta = format!(r#"{{"contentBlockIndex":0,"delta":{{"text":{text}}}}}"#);
            events.push(part("contentBlockDelta", &delta));
        }
        Form::Tool(name) => {
            let (number, name, arguments) = (said.number, quoted(name), quoted(ARGUMENTS));
            let start = format!(
                r#"{{"contentBlockIndex":0,"start":{{"toolUse":{{"toolUseId":"tooluse_{number}","name":{name}}}}}}}"#
            );
            let delta = format!(
                r#"{{"contentBlockIndex":0,"delta":{{"toolUse":{{"input":{arguments}}}}}}}"#
            );
            events.push(part("contentBlockStart", &start));
            events.push(part("contentBlockDelta", &delta));
        }
    }
    events.push(part("contentBlockStop", r#"{"contentBlockIndex":0}"#));
    let stop = format!(r#"{{"stopReason":"{reason}"}}"#);
    events.push(Event::end(stop).named("messageStop"));
    let usage = usage(said);
    let metadata = format!(r#"{{"metrics":{{"latencyMs":1}}{usage}}}"#);
    events.push(Event::end(metadata).named("metadata"));
    events
}

fn content(said: &Said<'_>) -> (String, &'static str) {
    let text = || format!(r#"{{"text":{}}}"#, quoted(said.text));
    match said.form {
        Form::Nothing => (String::new(), "end_turn"),
        Form::Text => (text(), "end_turn"),
        Form::Cut => (text(), "max_tokens"),
        Form::Tool(name) => {
            let (number, name) = (said.number, quoted(name));
            let call = format!(
                r#"{{"toolUse":{{"toolUseId":"tooluse_{number}","name":{name},"input":{ARGUMENTS}}}}}"#
            );
            (call, "tool_use")
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
