//! Sessions of Codex: what `codex exec --json` printed, or its rollout file.

use serde_json::Value;

use super::answer::ImportedAnswer;
use super::error::ImportError;
use super::sessions::{answer, duration_ms, text_of, transcript, values};
use super::source::ImportSource;

pub(super) static SOURCE: ImportSource = ImportSource {
    name: "codex",
    doc: "a rollout file of Codex (`~/.codex/sessions/…/rollout-….jsonl`), or the output of `codex exec --json`",
    read,
    in_archive: None,
};

fn read(name: &str, text: &str) -> Result<Vec<ImportedAnswer>, ImportError> {
    let events = values(text)?;
    let is_rollout = events.iter().any(|event| event["payload"].is_object());
    let read = if is_rollout {
        let file = ("sessions/rollout.jsonl".to_owned(), text.to_owned());
        transcript("codex", &[], &[file])
    } else {
        transcript("codex", &events, &[])
    };
    let Some(mut transcript) = read else {
        return Ok(Vec::new());
    };
    if transcript.duration_ms.is_none() {
        transcript.duration_ms = duration_ms(&events);
    }
    let id = events.iter().find_map(|event| {
        let meta = (event["type"] == "session_meta").then(|| event["payload"]["id"].as_str());
        meta.flatten().or_else(|| event["thread_id"].as_str())
    });
    let question = events.iter().find_map(|event| question(&event["payload"]));
    Ok(vec![answer(id, name, question, transcript)])
}

/// Returns the words of the user, without those that Codex adds.
fn question(payload: &Value) -> Option<String> {
    if payload["type"] == "user_message" {
        return payload["message"].as_str().map(str::to_owned);
    }
    let is_users = payload["type"] == "message" && payload["role"] == "user";
    let text = text_of(&payload["content"]).filter(|_| is_users)?;
    (!text.trim_start().starts_with('<')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rollout_file_and_a_stream_are_answers() {
        let rollout = r#"
{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"r-1","cli_version":"1"}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Run ls"}]}}
{"timestamp":"2026-01-01T00:00:02Z","type":"response_item","payload":{"type":"function_call","call_id":"c1","name":"shell","arguments":"{\"cmd\":\"ls\"}"}}
{"timestamp":"2026-01-01T00:00:03Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"a.txt"}}
{"timestamp":"2026-01-01T00:00:04Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a.txt"}]}}
{"timestamp":"2026-01-01T00:00:04Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":3,"output_tokens":2}}}}
"#;
        let answers = SOURCE.answers("file", rollout).unwrap();
        assert_eq!(
            (answers[0].id.as_str(), answers[0].question.as_deref()),
            ("r-1", Some("Run ls"))
        );
        assert_eq!(answers[0].transcript.answer(), "a.txt");
        assert_eq!(answers[0].transcript.tool_calls().count(), 1);
        assert_eq!(answers[0].transcript.token_usage.unwrap().input, 9);
        let stream = r#"
{"type":"thread.started","thread_id":"t-1"}
{"type":"item.completed","item":{"id":"i1","type":"agent_message","text":"Done"}}
{"type":"turn.completed","usage":{"input_tokens":4,"output_tokens":1}}
"#;
        let answers = SOURCE.answers("file", stream).unwrap();
        assert_eq!(
            (
                answers[0].id.as_str(),
                answers[0].transcript.answer().as_str()
            ),
            ("t-1", "Done")
        );
    }
}
