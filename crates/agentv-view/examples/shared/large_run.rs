//! A generated run for measurements.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes a run of some trials to a folder.
pub(crate) fn write(path: &Path, trials: u64) {
    fs::create_dir_all(path).unwrap();
    let create = |name: &str| BufWriter::new(File::create(path.join(name)).unwrap());
    writeln!(create("run.json"), "{{\"schema_version\":1,\"version\":\"0.1.0\",\"started_at\":\"2026-11-15T10:43:07Z\",\"files\":[{{\"path\":\"evals/support.jsonl\",\"digest\":\"d\",\"cases\":{trials}}}],\"trials\":1,\"planned\":{trials}}}").unwrap();
    let (mut results, mut transcripts) = (create("results.jsonl"), create("transcripts.jsonl"));
    for at in 0..trials {
        let score = (at * 7 % 11) as f64 / 10.0;
        let status = if score >= 0.8 {
            "pass"
        } else if score >= 0.6 {
            "borderline"
        } else {
            "fail"
        };
        let target = if at % 2 == 0 { "small" } else { "large" };
        let tools = if at % 3 == 0 { "{\"search\":2}" } else { "{}" };
        let position = at / 2 + 1;
        writeln!(results, "{{\"timestamp\":\"2026-11-15T10:44:00.123Z\",\"eval_file\":\"evals/support.jsonl\",\"position\":{position},\"eval_id\":\"case-{position}\",\"dataset\":\"support\",\"target\":\"{target}\",\"trial\":1,\"status\":\"{status}\",\"score\":{score},\"misses\":[\"The answer does not say when it arrives\"],\"candidate_answer\":\"Your order {at} arrives on Tuesday.\",\"evaluator_results\":[{{\"name\":\"tone\",\"type\":\"llm_judge\",\"score\":{score},\"weight\":1.0,\"verdict\":\"{status}\",\"reasoning\":\"Friendly enough.\"}}],\"trace_summary\":{{\"event_count\":1,\"tool_names\":[],\"tool_calls_by_name\":{tools},\"error_count\":0,\"cost_usd\":0.0012}},\"timing\":{{\"queue_ms\":0.1,\"total_ms\":{}}},\"attempts\":1,\"answer_key\":\"{at:064x}\",\"grade_key\":\"{at:064x}\"}}", 100 + at % 900).unwrap();
        writeln!(transcripts, "{{\"timestamp\":\"2026-11-15T10:44:00.100Z\",\"eval_file\":\"evals/support.jsonl\",\"position\":{position},\"eval_id\":\"case-{position}\",\"target\":\"{target}\",\"trial\":1,\"answer_key\":\"{at:064x}\",\"case\":{{\"id\":\"case-{position}\",\"dataset\":\"support\",\"input_messages\":[{{\"role\":\"system\",\"content\":\"You are a support agent.\"}},{{\"role\":\"user\",\"content\":\"Question {position}: where is my order?\"}}],\"expected_outcome\":\"Says when it arrives\"}},\"transcript\":{{\"output_messages\":[{{\"role\":\"assistant\",\"content\":\"Your order {at} arrives on Tuesday.\"}}]}},\"attempts\":1}}").unwrap();
    }
}
