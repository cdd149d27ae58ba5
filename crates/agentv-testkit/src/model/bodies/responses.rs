//! OpenAI's responses.

use serde_json::{Value, json};

use super::stream::Event;
use super::{CallInput, Form, Said, call, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let Said { number, model, .. } = said;
    let (model, output, usage) = (quoted(model), items(said).join(","), usage(said));
    let status = match said.form {
        Form::Cut => r#""status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}"#,
        Form::Text | Form::Calls(_) | Form::Nothing => {
            r#""status":"completed","incomplete_details":null"#
        }
    };
    format!(
        r#"{{"id":"resp_{number}","object":"response","created_at":1700000000,{status},"error":null,"model":{model},"output":[{output}]{usage}}}"#
    )
}

/// Returns the same answer as events: the first one without an answer, each item as it begins and
/// ends, the last one with all of it.
pub(crate) fn events(said: &Said<'_>) -> Vec<Event> {
    let number = said.number;
    let created = format!(
        r#"{{"type":"response.created","response":{{"id":"resp_{number}","status":"in_progress","output":[]}}}}"#
    );
    let mut events = vec![Event::part(created).named("response.created")];
    let named = |name: &'static str, rest: String| {
        Event::part(format!(r#"{{"type":"{name}",{rest}}}"#)).named(name)
    };
    for (index, item) in items(said).iter().enumerate() {
        let rest =
            |field: &str, value: &str| format!(r#""output_index":{index},"{field}":{value}"#);
        events.push(named(
            "response.output_item.added",
            rest("item", &begun(item)),
        ));
        let (name, delta) = delta(said, index);
        events.push(named(name, rest("delta", &quoted(&delta))));
        let done = named("response.output_item.done", rest("item", item));
        events.push(done.that_ends());
    }
    let last = match said.form {
        Form::Cut => "response.incomplete",
        Form::Text | Form::Calls(_) | Form::Nothing => "response.completed",
    };
    let whole = format!(r#"{{"type":"{last}","response":{}}}"#, answer(said));
    events.push(Event::end(whole).named(last));
    events
}

/// Returns an item as it is before any of its content has come.
fn begun(item: &str) -> String {
    let mut item: Value = serde_json::from_str(item).unwrap_or_default();
    for (name, empty) in [
        ("arguments", json!("")),
        ("input", json!("")),
        ("content", json!([])),
        ("status", json!("in_progress")),
    ] {
        if let Some(value) = item.get_mut(name) {
            *value = empty;
        }
    }
    item.to_string()
}

/// Returns the event that carries the content of the item with this index, and the content.
fn delta(said: &Said<'_>, index: usize) -> (&'static str, String) {
    let text = ("response.output_text.delta", said.text.to_owned());
    let Form::Calls(calls) = said.form else {
        return text;
    };
    let first = usize::from(said.has_text());
    match index.checked_sub(first).and_then(|index| calls.get(index)) {
        None => text,
        Some(call) => match &call.input {
            CallInput::Arguments(arguments) => {
                ("response.function_call_arguments.delta", arguments.clone())
            }
            CallInput::Text(text) => ("response.custom_tool_call_input.delta", text.clone()),
        },
    }
}

/// Returns the items of the output.
fn items(said: &Said<'_>) -> Vec<String> {
    let number = said.number;
    let message = || {
        let text = quoted(said.text);
        format!(
            r#"{{"type":"message","id":"msg_{number}","status":"completed","role":"assistant","content":[{{"type":"output_text","text":{text},"annotations":[]}}]}}"#
        )
    };
    let calls = match said.form {
        Form::Nothing => return Vec::new(),
        Form::Text | Form::Cut => return vec![message()],
        Form::Calls(calls) => calls,
    };
    let calls = calls.iter().enumerate().map(|(position, call)| {
        let (id, call_id) = (
            call::id("fc", number, position),
            call::id("call", number, position),
        );
        let (kind, input) = match &call.input {
            CallInput::Arguments(arguments) => ("function_call", ("arguments", arguments)),
            CallInput::Text(text) => ("custom_tool_call", ("input", text)),
        };
        let (field, input) = (input.0, quoted(input.1));
        let name = call.name();
        format!(
            r#"{{"type":"{kind}","id":"{id}","call_id":"{call_id}","name":{name},"{field}":{input},"status":"completed"}}"#
        )
    });
    said.has_text()
        .then(message)
        .into_iter()
        .chain(calls)
        .collect()
}

fn usage(said: &Said<'_>) -> String {
    let Some(usage) = said.usage else {
        return String::new();
    };
    let (input, output, cached) = (usage.input, usage.output, usage.cached);
    let total = input + output;
    format!(
        r#","usage":{{"input_tokens":{input},"input_tokens_details":{{"cached_tokens":{cached}}},"output_tokens":{output},"output_tokens_details":{{"reasoning_tokens":0}},"total_tokens":{total}}}"#
    )
}
