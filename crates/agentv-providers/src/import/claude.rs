//! Sessions of Claude Code: what it printed as `stream-json`, or the file that it keeps of a session.

use agentv_core::TokenUsage;
use serde_json::Value;

use super::answer::ImportedAnswer;
use super::error::ImportError;
use super::sessions::{add, answer, duration_ms, text_of, transcript, values};
use super::source::ImportSource;

pub(super) static SOURCE: ImportSource = ImportSource {
    name: "claude",
    doc: "a session file of Claude Code (`~/.claude/projects/…/SESSION.jsonl`), or its output with `--output-format stream-json`",
    read,
    in_archive: None,
};

fn read(name: &str, text: &str) -> Result<Vec<ImportedAnswer>, ImportError> {
    let mut events = values(text)?;
    // The work of subagents is not what the agent itself says.
    events.retain(|event| event["isSidechain"] != true);
    let Some(mut transcript) = transcript("claude-code", &events, &[]) else {
        return Ok(Vec::new());
    };
    let of_kind = |kind: &'static str| events.iter().filter(move |event| event["type"] == kind);
    if transcript.token_usage.is_none() {
        transcript.token_usage = usage(of_kind("assistant"));
    }
    if transcript.model.is_none() {
        let mut models =
            of_kind("assistant").filter_map(|event| event["message"]["model"].as_str());
        transcript.model = models.next().map(str::to_owned);
    }
    if transcript.duration_ms.is_none() {
        transcript.duration_ms = duration_ms(&events);
    }
    let mut ids = events.iter().filter_map(|event| {
        event["sessionId"]
            .as_str()
            .or_else(|| event["session_id"].as_str())
    });
    let question = of_kind("user").find_map(|event| text_of(&event["message"]["content"]));
    Ok(vec![answer(ids.next(), name, question, transcript)])
}

/// Returns the tokens of all messages. There is a line for each block of a message, and the last one counts.
fn usage<'e>(events: impl Iterator<Item = &'e Value>) -> Option<TokenUsage> {
    let mut last: Vec<(&str, &Value)> = Vec::new();
    for event in events {
        let message = &event["message"];
        let (id, usage) = (
            message["id"].as_str().unwrap_or_default(),
            &message["usage"],
        );
        if !usage.is_object() {
            continue;
        }
        match last.iter_mut().find(|(known, _)| *known == id) {
            Some(known) => known.1 = usage,
            None => last.push((id, usage)),
        }
    }
    let count = |usage: &Value, name: &str| usage[name].as_u64().unwrap_or(0);
    let mut sum = None;
    for (_, usage) in last {
        let cached = count(usage, "cache_read_input_tokens");
        let written = count(usage, "cache_creation_input_tokens");
        add(
            &mut sum,
            TokenUsage {
                input: count(usage, "input_tokens") + cached + written,
                output: count(usage, "output_tokens"),
                cached: Some(cached),
                reasoning: None,
            },
        );
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = r#"
{"type":"user","sessionId":"s-1","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"List the files"}}
{"type":"assistant","sessionId":"s-1","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m1","model":"claude-x","content":[{"type":"text","text":"I look."}],"usage":{"input_tokens":5,"output_tokens":1}}}
{"type":"assistant","sessionId":"s-1","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":5,"cache_read_input_tokens":10,"output_tokens":7}}}
{"type":"user","sessionId":"s-1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"a.txt"}]}}
{"type":"assistant","sessionId":"s-1","isSidechain":true,"message":{"id":"m9","content":[{"type":"text","text":"aside"}]}}
{"type":"assistant","sessionId":"s-1","timestamp":"2026-01-01T00:00:03Z","message":{"id":"m2","content":[{"type":"text","text":"One file: a.txt"}],"usage":{"input_tokens":20,"output_tokens":4}}}
"#;

    #[test]
    fn a_session_file_is_an_answer_with_its_calls_and_tokens() {
        let answers = SOURCE.answers("file", SESSION).unwrap();
        let [answer] = answers.as_slice() else {
            panic!("{answers:?}")
        };
        assert_eq!(answer.id, "s-1");
        assert_eq!(answer.question.as_deref(), Some("List the files"));
        let transcript = &answer.transcript;
        assert_eq!(transcript.answer(), "One file: a.txt");
        let calls: Vec<_> = transcript.tool_calls().collect();
        assert_eq!(calls.len(), 1);
        assert_eq!(
            (calls[0].tool.as_str(), calls[0].output.as_ref().unwrap()),
            ("Bash", &serde_json::json!("a.txt"))
        );
        // By hand: (5 + 10) + 20 read, 10 of them cached, and 7 + 4 written.
        let usage = transcript.token_usage.unwrap();
        assert_eq!(
            (usage.input, usage.output, usage.cached),
            (35, 11, Some(10))
        );
        assert_eq!(transcript.duration_ms, Some(3000.0));
    }

    #[test]
    fn a_file_without_an_answer_is_refused() {
        assert!(matches!(
            SOURCE.answers("x", "{\"type\":\"user\"}"),
            Err(ImportError::Nothing { .. })
        ));
        assert!(matches!(
            SOURCE.answers("x", "{}\nnot json"),
            Err(ImportError::NotJson { line: 2, .. })
        ));
    }
}
