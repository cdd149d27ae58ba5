//! OpenAI's responses.

use super::stream::Event;
use super::{ARGUMENTS, Form, Said, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let Said { number, model, .. } = said;
    let (model, output, usage) = (quoted(model), output(said), usage(said));
    let status = match said.form {
        Form::Cut => r#""status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}"#,
        Form::Text | Form::Tool(_) | Form::Nothing => {
            r#""status":"completed","incomplete_details":null"#
        }
    };
    format!(
        r#"{{"id":"resp_{number}","object":"response","created_at":1700000000,{status},"error":null,"model":{model},"output":[{output}]{usage}}}"#
    )
}

/// Returns the same answer as events: the first one without an answer, the last one with all of it.
pub(crate) fn events(said: &Said<'_>) -> Vec<Event> {
    let number = said.number;
    let created = format!(
        r#"{{"type":"response.created","response":{{"id":"resp_{number}","status":"in_progress","output":[]}}}}"#
    );
    let delta = match said.form {
        Form::Nothing => None,
        Form::Text | Form::Cut => Some(("response.output_text.delta", quoted(said.text))),
        Form::Tool(_) => Some(("response.function_call_arguments.delta", quoted(ARGUMENTS))),
    };
    let delta = delta.map(|(name, text)| {
        let data = format!(r#"{{"type":"{name}","output_index":0,"delta":{text}}}"#);
        Event::part(data).named(name)
    });
    let last = match said.form {
        Form::Cut => "response.incomplete",
        Form::Text | Form::Tool(_) | Form::Nothing => "response.completed",
    };
    let whole = format!(r#"{{"type":"{last}","response":{}}}"#, answer(said));
    let mut events = vec![Event::part(created).named("response.created")];
    events.extend(delta);
    events.push(Event::end(whole).named(last));
    events
}

fn output(said: &Said<'_>) -> String {
    let number = said.number;
    match said.form {
        Form::Nothing => String::new(),
        Form::Tool(name) => {
            let (name, arguments) = (quoted(name), quoted(ARGUMENTS));
            format!(
                r#"{{"type":"function_call","id":"fc_{number}","call_id":"call_{number}","name":{name},"arguments":{arguments},"status":"completed"}}"#
            )
        }
        Form::Text | Form::Cut => {
            let text = quoted(said.text);
            format!(
                r#"{{"type":"message","id":"msg_{number}","status":"completed","role":"assistant","content":[{{"type":"output_text","text":{text},"annotations":[]}}]}}"#
            )
        }
    }
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
