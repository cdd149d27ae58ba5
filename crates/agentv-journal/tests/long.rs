//! Many records and large ones: time and memory.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Output;
use std::time::Instant;

use agentv_journal::{Key, KeyFields, Line, Reader, RecordFile, latest_by_key};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{child, child_argument, now, results, run};

/// Returns the peak memory of this process in MB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes = line.split_ascii_whitespace().nth(1).unwrap();
    kilobytes.parse::<u64>().unwrap() / 1024
}

/// Writes records like those of a run; every hundredth key occurs twice.
fn write_many(path: &Path, count: u64) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    for number in 0..count {
        let key = if number % 100 == 99 {
            number - 50
        } else {
            number
        };
        let record = json!({
            "timestamp": "2026-11-15T10:43:07.309Z", "eval_file": "evals/capitals.jsonl",
            "eval_id": format!("case-{number}"), "target": "default", "trial": 1,
            "status": "pass", "score": 1.0, "hits": ["Paris"],
            "candidate_answer": "The capital of France is Paris.",
            "evaluator_results": [{"name": "contains", "type": "contains", "score": 1.0}],
            "answer_key": format!("{key:032x}"), "grade_key": format!("{key:032x}"),
        });
        writeln!(file, "{record}").unwrap();
    }
    file.into_inner().unwrap();
}

#[derive(Deserialize)]
struct Graded {
    score: f64,
}

/// In the child: measures the cost of a fold.
#[test]
#[expect(clippy::print_stdout, reason = "tells the parent what it took")]
fn folder() {
    let Some(path) = child_argument() else {
        return;
    };
    let start = Instant::now();
    let latest = latest_by_key(&path, &KeyFields::new(["grade_key"])).unwrap();
    let folded = start.elapsed();
    let count = latest.len();
    let mut sum = 0.0;
    for line in latest.records::<Graded>() {
        match line.unwrap() {
            Line::Record(record) => sum += record.value.score,
            Line::Damaged(damage) => panic!("{damage}"),
        }
    }
    assert_eq!(sum, count as f64);
    println!(
        "\n{{\"records\":{count},\"fold_ms\":{},\"all_ms\":{},\"memory_mb\":{}}}",
        folded.as_millis(),
        start.elapsed().as_millis(),
        peak_memory()
    );
}

fn measured(test: &str, path: &Path) -> Value {
    let Output { status, stdout, .. } = child(test, path).output().unwrap();
    assert!(status.success());
    let text = String::from_utf8(stdout).unwrap();
    let line = text.lines().find(|line| line.starts_with('{')).unwrap();
    serde_json::from_str(line).unwrap()
}

fn fold_of(count: u64) -> (u64, Value) {
    let (_root, folder) = run();
    let path = results(&folder);
    write_many(&path, count);
    let bytes = path.metadata().unwrap().len();
    (bytes, measured("long::folder", &path))
}

#[test]
fn a_fold_takes_16_bytes_a_record() {
    let (_, few) = fold_of(1_000);
    let (_, many) = fold_of(200_000);
    assert_eq!(many["records"], 198_000);
    let more = many["memory_mb"].as_u64().unwrap() - few["memory_mb"].as_u64().unwrap();
    assert!(more <= 10, "{few} {many}");
}

/// `cargo test --release -p agentv-journal -- --ignored --nocapture million`
#[test]
#[ignore = "a measurement: only an optimized build tells"]
#[expect(clippy::print_stderr, reason = "a measurement")]
fn a_million_records_fold_in_about_a_second_and_40_mb() {
    let (bytes, measured) = fold_of(1_000_000);
    eprintln!("{bytes} bytes: {measured}");
    assert!(measured["fold_ms"].as_u64().unwrap() < 1_500, "{measured}");
    assert!(measured["memory_mb"].as_u64().unwrap() < 40, "{measured}");
}

#[test]
fn records_of_many_megabytes_are_written_read_and_found() {
    let (_root, folder) = run();
    let mut writer = folder.write(now()).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    let text = "x".repeat(24 << 20);
    for (key, text) in [("small", "a"), ("large", text.as_str()), ("last", "b")] {
        let record = json!({"key": key, "text": text});
        append.append(&record, Instant::now()).unwrap();
    }
    drop(append);
    assert_eq!(
        writer.append(RecordFile::Results).unwrap().recovery().cut,
        0
    );
    let mut latest = folder
        .latest(RecordFile::Results, &KeyFields::new(["key"]))
        .unwrap();
    let large = latest.get::<Value>(&Key::from("large")).unwrap().unwrap();
    assert_eq!(large.value["text"].as_str().unwrap().len(), text.len());
    let mut seen = Vec::new();
    for line in Reader::<Value>::with_limit(&results(&folder), 1 << 20).unwrap() {
        seen.push(match line.unwrap() {
            Line::Record(record) => record.value["key"].as_str().unwrap().to_owned(),
            Line::Damaged(damage) => format!("{}: {}", damage.line, damage.length),
        });
    }
    let length = text.len() + r#"{"key":"large","text":""}"#.len();
    assert_eq!(seen, ["small", &format!("2: {length}"), "last"]);
}
