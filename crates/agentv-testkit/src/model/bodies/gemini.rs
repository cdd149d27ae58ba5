//! Gemini's generateContent.

use super::stream::Event;
use super::{Form, Said, quoted};

pub(crate) fn answer(said: &Said<'_>) -> String {
    let Said { number, model, .. } = said;
    let (model, candidates, usage) = (quoted(model), candidates(said), usage(said));
    format!(r#"{{{candidates}"modelVersion":{model},"responseId":"response-{number}"{usage}}}"#)
}

/// Returns the same answer as events: a part without an end, and one that ends the answer.
pub(crate) fn events(said: &Said<'_>) -> Vec<Event> {
    let begun = Said {
        text: "",
        form: Form::Text,
        usage: None,
        ..*said
    };
    let begun = answer(&begun).replace(r#","finishReason":"STOP""#, "");
    let whole = Event::end(answer(said));
    match said.form {
        Form::Nothing => vec![whole],
        Form::Text | Form::Cut | Form::Calls(_) => vec![Event::part(begun), whole],
    }
}

fn candidates(said: &Said<'_>) -> String {
    let text = || format!(r#"{{"text":{}}}"#, quoted(said.text));
    let (parts, reason) = match said.form {
        Form::Nothing => return String::new(),
        Form::Text => (text(), "STOP"),
        Form::Cut => (text(), "MAX_TOKENS"),
        Form::Calls(calls) => {
            let calls = calls.iter().map(|call| {
                let (name, arguments) = (call.name(), call.arguments());
                format!(r#"{{"functionCall":{{"name":{name},"args":{arguments}}}}}"#)
            });
            let parts = said.has_text().then(text).into_iter().chain(calls);
            (parts.collect::<Vec<_>>().join(","), "STOP")
        }
    };
    format!(
        r#""candidates":[{{"content":{{"parts":[{parts}],"role":"model"}},"finishReason":"{reason}","index":0}}],"#
    )
}

fn usage(said: &Said<'_>) -> String {
    let Some(usage) = said.usage else {
        return String::new();
    };
    let (input, output, cached) = (usage.input, usage.output, usage.cached);
    let total = input + output;
    format!(
        r#","usageMetadata":{{"promptTokenCount":{input},"candidatesTokenCount":{output},"totalTokenCount":{total},"cachedContentTokenCount":{cached}}}"#
    )
}

pub(crate) fn error(status: u16, message: &str) -> String {
    let name = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        504 => "DEADLINE_EXCEEDED",
        400..500 => "INVALID_ARGUMENT",
        _ => "INTERNAL",
    };
    let message = quoted(message);
    format!(r#"{{"error":{{"code":{status},"message":{message},"status":"{name}"}}}}"#)
}
