//! The files of a run, as tests read them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agentv_testkit::Project;
use serde_json::Value;

use crate::program::Ended;

/// Returns the folder of the only run of a project.
pub(crate) fn run_folder(project: &Project) -> PathBuf {
    let [folder] = run_folders(project).try_into().unwrap();
    folder
}

/// Returns the folders of all runs of a project, oldest first.
pub(crate) fn run_folders(project: &Project) -> Vec<PathBuf> {
    let entries = fs::read_dir(project.path(".agentv/results"));
    let entries = entries.into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}

/// Returns the records of a file. Every line must be complete.
#[track_caller]
pub(crate) fn whole_records(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap_or_default();
    assert!(text.is_empty() || text.ends_with('\n'), "torn: {text}");
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Returns the records of a file whose writer was killed. All lines but the last must be complete.
#[track_caller]
pub(crate) fn records_after_kill(file: &Path) -> Vec<Value> {
    let text = fs::read(file).unwrap_or_default();
    let whole = text.iter().rposition(|byte| *byte == b'\n');
    let whole = &text[..whole.map_or(0, |at| at + 1)];
    let lines = whole.split_inclusive(|byte| *byte == b'\n');
    lines
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// Counts the records for each value of a field.
pub(crate) fn counts<'r>(records: &'r [Value], field: &str) -> BTreeMap<&'r str, usize> {
    let mut counts = BTreeMap::new();
    for record in records {
        *counts.entry(record[field].as_str().unwrap()).or_default() += 1;
    }
    counts
}

/// Checks that each of `cases` cases has exactly one result, and returns the results.
#[track_caller]
pub(crate) fn each_case_once(folder: &Path, cases: usize) -> Vec<Value> {
    let results = whole_records(&folder.join("results.jsonl"));
    for field in ["eval_id", "grade_key", "answer_key"] {
        let counts = counts(&results, field);
        assert_eq!(counts.len(), cases, "{field}");
        assert!(counts.values().all(|count| *count == 1), "{field}");
    }
    let transcripts = whole_records(&folder.join("transcripts.jsonl"));
    let counts = counts(&transcripts, "answer_key");
    assert!(counts.values().all(|count| *count == 1), "an answer twice");
    results
}

/// Checks that every record from before a kill still exists.
#[track_caller]
pub(crate) fn nothing_is_lost(before: &mut Vec<Value>, file: &Path) {
    let after = records_after_kill(file);
    assert!(after.len() >= before.len());
    assert_eq!(after[..before.len()], before[..]);
    *before = after;
}

/// Returns the summary of a run and its `run.json`, without times and the name of the run.
#[track_caller]
pub(crate) fn final_words(ended: &Ended, folder: &Path) -> (String, Value) {
    let id = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let told = ended.stdout.replace(&id, "RUN");
    let parts = told.split("\n\n");
    let parts = parts.filter(|part| !part.starts_with("slowest"));
    let lines = parts.flat_map(str::lines);
    let times = ["took", "latency", "first token"];
    let about_time = |line: &&str| times.iter().any(|time| line.starts_with(time));
    let told: Vec<&str> = lines.filter(|line| !about_time(line)).collect();
    let run = fs::read_to_string(folder.join("run.json")).unwrap();
    let mut run: Value = serde_json::from_str(&run).unwrap();
    let mut totals = run["totals"].take();
    for times in ["latency", "slowest"] {
        totals.as_object_mut().unwrap().remove(times).unwrap();
    }
    // Only targets that stream have one.
    totals.as_object_mut().unwrap().remove("first_token");
    assert!(told.len() > 10, "{told:?}");
    (told.join("\n"), totals)
}

/// Returns the records of a complete file, without times and ids of requests, sorted.
#[track_caller]
pub(crate) fn timeless_records(file: &Path) -> Vec<String> {
    let mut records = whole_records(file);
    records.iter_mut().for_each(without_times);
    let mut records: Vec<String> = records.iter().map(Value::to_string).collect();
    records.sort();
    records
}

/// The fields of records that differ between equal runs.
const VARYING: [&str; 5] = [
    "timestamp",
    "timing",
    "duration_ms",
    "first_token_ms",
    "request_id",
];

fn without_times(value: &mut Value) {
    if let Value::Object(fields) = value {
        fields.retain(|name, _| !VARYING.contains(&name.as_str()));
        fields.values_mut().for_each(without_times);
    }
}

/// Everything of a run that must be the same, whatever happened to its processes.
pub(crate) struct Outcome {
    words: (String, Value),
    results: Vec<String>,
    transcripts: Vec<String>,
}

impl Outcome {
    /// Reads the only run of a project. Each of its cases must have one result.
    #[track_caller]
    pub(crate) fn of(ended: &Ended, project: &Project, cases: usize) -> Outcome {
        let folder = run_folder(project);
        each_case_once(&folder, cases);
        Outcome {
            words: final_words(ended, &folder),
            results: timeless_records(&folder.join("results.jsonl")),
            transcripts: timeless_records(&folder.join("transcripts.jsonl")),
        }
    }

    /// Compares two runs, and shows the first difference.
    #[track_caller]
    pub(crate) fn is_the_same_as(&self, other: &Outcome) {
        assert_eq!(self.words, other.words);
        same_records(&self.results, &other.results);
        same_records(&self.transcripts, &other.transcripts);
    }
}

#[track_caller]
fn same_records(some: &[String], others: &[String]) {
    for (one, other) in some.iter().zip(others) {
        assert_eq!(one, other);
    }
    assert_eq!(some.len(), others.len());
}
