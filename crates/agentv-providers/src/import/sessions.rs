//! Sessions of agents, as lines of JSON.

use agentv_core::{TokenUsage, Transcript};
use serde_json::Value;

use super::answer::ImportedAnswer;
use super::error::ImportError;
use crate::agent::of_recording;

/// Returns the values of a text: one document, or one value per line.
///
/// # Errors
/// If the text is neither.
pub(super) fn values(text: &str) -> Result<Vec<Value>, ImportError> {
    let text = text.trim_start_matches('\u{feff}');
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        return Ok(match whole {
            Value::Array(items) => items,
            other => vec![other],
        });
    }
    let mut values = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(line).map_err(|error| ImportError::NotJson {
            line: index + 1,
            reason: error.to_string(),
        })?;
        values.push(value);
    }
    Ok(values)
}

/// Reads events with the reader of an agent; `None` if there is no message in them.
pub(super) fn transcript(
    agent: &str,
    events: &[Value],
    files: &[(String, String)],
) -> Option<Transcript> {
    let mut stream = String::new();
    for event in events {
        stream.push_str(&event.to_string());
        stream.push('\n');
    }
    let (mut transcript, _) = of_recording(agent, stream.as_bytes(), files)?;
    if files.is_empty() {
        // The events of a stream come at once here, so the durations of calls are not known.
        let messages = transcript.output_messages.iter_mut();
        for call in messages.flat_map(|message| &mut message.tool_calls) {
            call.duration_ms = None;
        }
    }
    (!transcript.output_messages.is_empty()).then_some(transcript)
}

/// Returns the time between the first and the last timestamp, in milliseconds.
pub(super) fn duration_ms(events: &[Value]) -> Option<f64> {
    let times = events
        .iter()
        .filter_map(|event| event["timestamp"].as_str()?.parse::<jiff::Timestamp>().ok());
    let times: Vec<jiff::Timestamp> = times.collect();
    let (first, last) = (times.iter().min()?, times.iter().max()?);
    Some(last.duration_since(*first).as_secs_f64() * 1e3)
}

/// Returns an answer whose id is the name of the session, or that of the file.
pub(super) fn answer(
    id: Option<&str>,
    name: &str,
    question: Option<String>,
    transcript: Transcript,
) -> ImportedAnswer {
    let id = id.filter(|id| !id.is_empty()).unwrap_or(name);
    ImportedAnswer {
        id: id.to_owned(),
        trial: None,
        question,
        transcript,
    }
}

/// Adds the tokens of a request.
pub(super) fn add(sum: &mut Option<TokenUsage>, usage: TokenUsage) {
    let plus = |a: Option<u64>, b: Option<u64>| match (a, b) {
        (None, None) => None,
        (a, b) => Some(a.unwrap_or(0) + b.unwrap_or(0)),
    };
    let before = sum.unwrap_or_default();
    *sum = Some(TokenUsage {
        input: before.input + usage.input,
        output: before.output + usage.output,
        cached: plus(before.cached, usage.cached),
        reasoning: plus(before.reasoning, usage.reasoning),
    });
}

/// Returns the text of a message: a string, or the texts of its parts.
pub(super) fn text_of(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    let parts = content.as_array()?.iter();
    let texts = parts.filter_map(|part| {
        let text = part["text"].as_str().or_else(|| part["content"].as_str());
        text.or_else(|| part.as_str())
    });
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}
