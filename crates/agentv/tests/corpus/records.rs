//! The results of the runs that a command made, as a test compares them.

use std::fs;
use std::path::Path;

use libtest_mimic::Failed;
use regex::Regex;
use serde_json::Value;

/// Fields that differ from run to run, and their placeholders.
const CHANGING: &[(&str, &str)] = &[
    ("/timestamp", "[TIME]"),
    ("/timing", "[TIMING]"),
    ("/trace_summary/duration_ms", "[TIME]"),
    ("/answer_key", "[KEY]"),
    ("/grade_key", "[KEY]"),
];

/// Returns the results of all runs under `root`, oldest run first, sorted by trial within a run.
pub(crate) fn of_all_runs(root: &Path) -> Result<String, Failed> {
    let results = root.join(".agentv/results");
    let mut runs: Vec<_> = fs::read_dir(results)
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    runs.sort_by_key(fs::DirEntry::file_name);
    // The tags around the text for a judge differ every time.
    let tags = Regex::new(r"(</?[A-Za-z_]+)-\d{16}>")?;
    let mut all = String::new();
    for run in runs {
        let text = fs::read_to_string(run.path().join("results.jsonl")).unwrap_or_default();
        let mut lines = Vec::new();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line)?;
            let name = name_of(&record);
            let shown = without_changing(record).to_string();
            lines.push((name, tags.replace_all(&shown, "$1-[KEY]>").into_owned()));
        }
        lines.sort();
        lines.into_iter().for_each(|(_, line)| {
            all.push_str(&line.replace(&root.to_string_lossy().into_owned(), "[ROOT]"));
            all.push('\n');
        });
    }
    Ok(all)
}

fn name_of(record: &Value) -> (String, String, String, u64) {
    let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
    let trial = record["trial"].as_u64().unwrap_or_default();
    (text("eval_file"), text("eval_id"), text("target"), trial)
}

fn without_changing(mut record: Value) -> Value {
    // Reports show the order of cases, and their tests check it.
    if let Some(fields) = record.as_object_mut() {
        fields.shift_remove("position");
    }
    for (path, placeholder) in CHANGING {
        if let Some(value) = record.pointer_mut(path) {
            *value = Value::from(*placeholder);
        }
    }
    let messages = record.pointer_mut("/output_messages");
    for message in messages.and_then(Value::as_array_mut).into_iter().flatten() {
        let calls = message.pointer_mut("/tool_calls");
        for call in calls.and_then(Value::as_array_mut).into_iter().flatten() {
            // The server of the tests numbers the calls of all tests.
            for (field, placeholder) in [("duration_ms", "[TIME]"), ("id", "[ID]")] {
                if let Some(value) = call.get_mut(field) {
                    *value = Value::from(placeholder);
                }
            }
        }
    }
    let results = record.pointer_mut("/evaluator_results");
    for result in results.and_then(Value::as_array_mut).into_iter().flatten() {
        let calls = result.pointer_mut("/judge_calls");
        for call in calls.and_then(Value::as_array_mut).into_iter().flatten() {
            call["duration_ms"] = Value::from("[TIME]");
        }
    }
    record
}
