//! Run folders, written as a run would write them.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

/// One trial: its result, and optionally its transcript.
#[derive(Debug, Clone)]
pub struct Trial {
    /// The result.
    pub result: Value,
    /// The transcript.
    pub transcript: Option<Value>,
}

/// Writes a run with further fields in its `run.json`, and returns its folder.
pub fn write_run(
    results: &Path,
    id: &str,
    fields: &Value,
    trials: impl IntoIterator<Item = Trial>,
) -> PathBuf {
    let run = json!({
        "schema_version": 1, "version": "0.1.0", "started_at": "2026-11-15T10:43:07.309Z", "trials": 1,
        "files": [{"path": "evals/support.yaml", "digest": "d", "cases": 10}],
        "targets": [{"name": "default", "provider": "openai"}], "planned": 10,
    });
    let (mut result_lines, mut transcript_lines) = (String::new(), String::new());
    for trial in trials {
        result_lines += &format!("{}\n", trial.result);
        if let Some(transcript) = trial.transcript {
            transcript_lines += &format!("{transcript}\n");
        }
    }
    let folder = results.join(id);
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join("run.json"),
        merged(&run, fields.clone()).to_string(),
    )
    .unwrap();
    fs::write(folder.join("results.jsonl"), result_lines).unwrap();
    fs::write(folder.join("transcripts.jsonl"), transcript_lines).unwrap();
    folder
}

/// Returns a trial with this score, a question and an answer.
pub fn trial(id: &str, score: f64, answer: &str) -> Trial {
    let verdict = match score {
        0.8.. => "pass",
        0.6.. => "borderline",
        _ => "fail",
    };
    let names = json!({
        "timestamp": "2026-11-15T10:44:00Z", "eval_file": "evals/support.yaml", "eval_id": id,
        "target": "default", "trial": 1, "answer_key": format!("answer {id}"), "attempts": 1,
    });
    let result = merged(
        &names,
        json!({
            "dataset": "support", "status": verdict, "score": score, "candidate_answer": answer,
            "grade_key": format!("grade {id}"), "timing": {"queue_ms": 0.5, "total_ms": 200.0 + 1000.0 * score},
            "evaluator_results": [
                {"name": "tone", "type": "llm_judge", "score": score, "weight": 2.0, "verdict": verdict,
                 "hits": ["greets"], "misses": ["promises nothing"], "reasoning": "Friendly enough.",
                 "judge_calls": [{"target": "judge", "attempts": 1, "cost_usd": 0.0004, "duration_ms": 650.0}]},
                {"name": "all", "type": "composite", "score": score, "weight": 1.0, "verdict": verdict,
                 "evaluator_results": [
                    {"name": "words", "type": "contains", "score": 1.0, "weight": 1.0, "verdict": "pass"},
                    {"name": "expert", "type": "llm_judge", "weight": 1.0, "skipped": "a required check had failed"}]},
            ],
            "trace_summary": {"event_count": 1, "tool_names": ["lookupOrder"], "tool_calls_by_name": {"lookupOrder": 1},
                "error_count": 0, "token_usage": {"input": 900, "output": 80}, "cost_usd": 0.002 - 0.001 * score},
        }),
    );
    let transcript = merged(
        &names,
        json!({
            "case": {
                "id": id, "dataset": "support", "expected_outcome": "Says when it arrives",
                "input_messages": [
                    {"role": "system", "content": "You are a support agent."},
                    {"role": "user", "content": [
                        {"type": "text", "value": format!("Where is order {id}?")},
                        {"type": "file", "value": "policy.md", "path": "evals/policy.md", "text": "Be brief."}]}],
                "expected_messages": [{"role": "assistant", "content": "It arrives on Monday."}],
                "execution": {"target": "default"},
            },
            "transcript": {"output_messages": [
                {"role": "assistant", "tool_calls": [{"tool": "lookupOrder", "input": {"order": id}, "output": {"eta": "Tuesday"}}]},
                {"role": "assistant", "content": answer}], "model": "large-2026"},
        }),
    );
    Trial {
        result,
        transcript: Some(transcript),
    }
}

/// Returns a trial whose target gave no answer.
pub fn errored(id: &str, message: &str) -> Trial {
    let result = json!({
        "timestamp": "2026-11-15T10:44:00Z", "eval_file": "evals/support.yaml", "eval_id": id,
        "dataset": "support", "target": "default", "trial": 1, "status": "error", "attempts": 3,
        "error": {"stage": "target", "message": message},
        "answer_key": format!("answer {id}"), "grade_key": format!("grade {id}"),
    });
    Trial {
        result,
        transcript: None,
    }
}

/// Returns nine trials with scores from 0.1 to 0.9, and one that errored.
pub fn ten() -> Vec<Trial> {
    let graded = (1..=9).map(|at| {
        let score = f64::from(at) / 10.0;
        trial(
            &format!("case-{at}"),
            score,
            "It arrives on Tuesday, I hope.",
        )
    });
    graded
        .chain([errored("case-10", "HTTP 429: slow down")])
        .collect()
}

/// Merges two objects; the second takes precedence.
pub fn merged(first: &Value, second: Value) -> Value {
    let mut merged = first.clone();
    for (name, value) in second.as_object().unwrap() {
        merged[name] = value.clone();
    }
    merged
}
