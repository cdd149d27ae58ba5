//! Sessions of Gemini CLI: what it printed as `stream-json`, or its chat file.

use serde_json::{Value, json};

use super::answer::ImportedAnswer;
use super::error::ImportError;
use super::sessions::{answer, duration_ms, text_of, transcript, values};
use super::source::ImportSource;

pub(super) static SOURCE: ImportSource = ImportSource {
    name: "gemini",
    doc: "a chat file of Gemini CLI (`~/.gemini/tmp/…/chats/session-….json`), or its output with `--output-format stream-json`",
    read,
    in_archive: None,
};

fn read(name: &str, text: &str) -> Result<Vec<ImportedAnswer>, ImportError> {
    let values = values(text)?;
    let older = values.iter().find_map(|value| value["messages"].as_array());
    let messages: Vec<&Value> = match older {
        Some(messages) => messages.iter().collect(),
        None => values.iter().collect(),
    };
    let is_chat = messages.iter().any(|message| message["type"] == "gemini");
    let id = values.iter().find_map(|value| {
        let id = value["sessionId"].as_str();
        id.or_else(|| value["session_id"].as_str())
    });
    let events = if is_chat {
        as_events(&messages)
    } else {
        values.clone()
    };
    let Some(mut transcript) = transcript("gemini-cli", &events, &[]) else {
        return Ok(Vec::new());
    };
    if transcript.duration_ms.is_none() || is_chat {
        let times: Vec<Value> = messages.iter().map(|message| (*message).clone()).collect();
        transcript.duration_ms = duration_ms(&times);
    }
    let asked = |message: &&&Value| message["type"] == "user" || message["role"] == "user";
    let question = messages
        .iter()
        .find(asked)
        .and_then(|message| text_of(&message["content"]));
    Ok(vec![answer(id, name, question, transcript)])
}

/// Returns the messages of a chat as the events of a stream.
fn as_events(messages: &[&Value]) -> Vec<Value> {
    let mut events = Vec::new();
    let count = |message: &Value, name: &str| message["tokens"][name].as_u64().unwrap_or(0);
    let (mut input, mut output, mut cached) = (0, 0, 0);
    for message in messages
        .iter()
        .filter(|message| message["type"] == "gemini")
    {
        if events.is_empty() {
            events.push(json!({"type": "init", "model": message["model"]}));
        }
        if let Some(text) = text_of(&message["content"]).filter(|text| !text.is_empty()) {
            events.push(json!({"type": "message", "role": "assistant", "content": text}));
        }
        for call in message["toolCalls"].as_array().into_iter().flatten() {
            events.push(json!({"type": "tool_use", "tool_id": call["id"],
                "tool_name": call["name"], "parameters": call["args"]}));
            let shown = &call["resultDisplay"];
            let result = if shown.is_string() {
                shown
            } else {
                &call["result"]
            };
            events.push(
                json!({"type": "tool_result", "tool_id": call["id"], "output": result,
                "status": if call["status"] == "error" { "error" } else { "success" }}),
            );
        }
        input += count(message, "input");
        output += count(message, "output") + count(message, "thoughts");
        cached += count(message, "cached");
    }
    events.push(json!({"type": "result", "status": "success", "stats": {
        "input_tokens": input, "output_tokens": output, "cached": cached,
        "total_tokens": input + output}}));
    events
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_file_is_an_answer_with_its_calls_and_tokens() {
        let chat = json!({"sessionId": "g-1", "messages": [
            {"type": "user", "content": "Read it", "timestamp": "2026-01-01T00:00:00Z"},
            {"type": "gemini", "content": "", "model": "gemini-x", "toolCalls": [
                {"id": "c1", "name": "read_file", "args": {"path": "a"}, "status": "success", "resultDisplay": "text"}],
             "tokens": {"input": 10, "output": 2, "thoughts": 3, "cached": 4}},
            {"type": "gemini", "content": "It says text", "timestamp": "2026-01-01T00:00:02Z",
             "tokens": {"input": 20, "output": 5}},
        ]});
        let answers = SOURCE.answers("file", chat.to_string()).unwrap();
        let transcript = &answers[0].transcript;
        assert_eq!(
            (answers[0].id.as_str(), transcript.answer().as_str()),
            ("g-1", "It says text")
        );
        assert_eq!(transcript.tool_calls().count(), 1);
        let usage = transcript.token_usage.unwrap();
        assert_eq!((usage.input, usage.output, usage.cached), (30, 10, Some(4)));
        assert_eq!(transcript.duration_ms, Some(2000.0));
    }
}
