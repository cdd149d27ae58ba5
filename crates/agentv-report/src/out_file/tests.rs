//! Written files can be read back.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use agentv_core::{
    EvaluatorResult, EvaluatorSpec, ReportError, Reporter, ResultRecord, RunEvent, Verdict,
};
use agentv_syntax::{Tree, json, yaml};
use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::samples::{errored, failed, graded, measured, record};

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,12}", "[ -~\n\r\t]{0,20}", "[=+@'-][a-z(]{0,4}"]
}

fn any_record() -> impl Strategy<Value = ResultRecord> {
    let texts = proptest::collection::vec(any_text(), 0..3);
    let figures = (0.0..=1.0f64, 0.0..1e6f64, 0.0..10.0f64);
    (any_text(), any_text(), texts, figures).prop_map(|(id, answer, misses, figures)| {
        let (score, total_ms, cost_usd) = figures;
        ResultRecord {
            candidate_answer: Some(answer.clone()),
            hits: misses.clone(),
            misses,
            evaluator_results: vec![EvaluatorResult {
                name: id.clone(),
                verdict: Some(Verdict::Fail),
                reasoning: Some(answer),
                details: Some(json!({"semanticSearch": [1, 2.5, null]})),
                ..EvaluatorResult::unsaid(&EvaluatorSpec::of_kind("llm_judge"))
            }],
            ..measured(graded(&id, score), total_ms, cost_usd)
        }
    })
}

/// Returns the bytes of a file with these records, by its name.
fn written(name: &str, records: &[ResultRecord]) -> Vec<u8> {
    let layout = (Format::of(Path::new(name)).unwrap().start)();
    let mut writer = RecordWriter::new(layout, Vec::new());
    records
        .iter()
        .for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

fn text(name: &str, records: &[ResultRecord]) -> String {
    String::from_utf8(written(name, records)).unwrap()
}

fn read_yaml(text: &str) -> Value {
    let mut tree = Tree::default();
    yaml::parse(text, &mut tree).unwrap();
    tree.root().to_value()
}

fn rows(text: &str) -> Vec<Vec<String>> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(text.as_bytes());
    let rows = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect());
    rows.collect()
}

/// Returns the value of a column as the record has it in JSON, as text.
fn expected_cell(value: &Value, column: &str) -> String {
    let path = match column {
        "queue_ms" | "total_ms" | "first_token_ms" => format!("/timing/{column}"),
        "error_stage" | "error_message" => column.replace("error_", "/error/"),
        "cost_usd" => "/trace_summary/cost_usd".to_owned(),
        "input_tokens" | "output_tokens" | "cached_tokens" => {
            let kind = column.trim_end_matches("_tokens");
            format!("/trace_summary/token_usage/{kind}")
        }
        _ => format!("/{column}"),
    };
    match value.pointer(&path) {
        None if matches!(column, "cached" | "redacted" | "dry_run" | "truncated") => {
            "false".to_owned()
        }
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let items: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
            items.join("\n")
        }
        Some(other) => other.to_string(),
    }
}

proptest! {
    #[test]
    fn every_format_says_the_same(records in proptest::collection::vec(any_record(), 0..5)) {
        let expected = serde_json::to_value(&records).unwrap();
        let lines = text("a.jsonl", &records);
        let parsed: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(&Value::Array(parsed), &expected);
        let array = text("a.json", &records);
        prop_assert_eq!(&serde_json::from_str::<Value>(&array).unwrap(), &expected);
        let mut tree = Tree::default();
        json::parse(&array, &mut tree).unwrap();
        prop_assert_eq!(&tree.root().to_value(), &expected);
        prop_assert_eq!(&read_yaml(&text("a.yaml", &records)), &expected);
        let table = rows(&text("a.csv", &records));
        prop_assert_eq!(table.len(), records.len() + 1);
        for (row, value) in table[1..].iter().zip(expected.as_array().unwrap()) {
            for (cell, column) in row.iter().zip(&table[0]) {
                let expected = expected_cell(value, column);
                let guarded = format!("'{expected}");
                let is_formula = expected.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
                prop_assert_eq!(cell, if is_formula { &guarded } else { &expected }, "{}", column);
            }
        }
    }
}

#[test]
fn a_table_has_these_columns() {
    let table = rows(&text("a.CSV", &[errored("a", "down, \"really\"\nnow")]));
    assert_eq!(
        table[0].join(","),
        "timestamp,eval_file,eval_id,dataset,conversation_id,target,trial,status,score,\
         candidate_answer,hits,misses,reasoning,error_stage,error_message,queue_ms,total_ms,first_token_ms,\
         attempts,cached,redacted,dry_run,input_tokens,output_tokens,cached_tokens,cost_usd,judge_cost_usd,unpriced,answer_key,grade_key,\
         truncated,outdated,pass_threshold,replaced_cost_usd"
    );
    assert_eq!(table[1][13..15], ["target", "down, \"really\"\nnow"]);
}

#[test]
fn a_model_cannot_put_a_formula_into_a_table() {
    let answer = ResultRecord {
        candidate_answer: Some("=HYPERLINK(\"http://x\")".to_owned()),
        ..failed("-1", 0.5, "@SUM(A1)")
    };
    let table = rows(&text("a.csv", &[answer]));
    assert_eq!(table[1][9], "'=HYPERLINK(\"http://x\")");
    assert_eq!((&*table[1][2], &*table[1][11]), ("'-1", "'@SUM(A1)"));
    assert_eq!(table[1][8], "0.5");
}

#[test]
fn a_run_without_records_gives_an_empty_file_of_its_format() {
    assert_eq!(text("a.jsonl", &[]), "");
    assert_eq!(text("a.json", &[]), "[]\n");
    assert_eq!(read_yaml(&text("a.yml", &[])), json!([]));
    assert_eq!(rows(&text("a.csv", &[])).len(), 1);
}

fn end(file: &mut OutFile, record: &ResultRecord) -> Result<(), ReportError> {
    file.on_event(&RunEvent::Finished {
        record: record.clone().into(),
        reused: false,
    })
}

#[test]
fn the_file_appears_whole_when_it_is_finished_and_not_before() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("deep/er/out.jsonl");
    let mut file = OutFile::create(&path).unwrap();
    end(&mut file, &graded("a", 1.0)).unwrap();
    let reason = agentv_core::Stop::Time;
    file.on_event(&RunEvent::Stopping { reason }).unwrap();
    let reused = RunEvent::Finished {
        record: record("b").into(),
        reused: true,
    };
    file.on_event(&reused).unwrap();
    assert!(!path.exists());
    file.finish().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_run_that_dies_leaves_the_file_as_it_was() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("out.json");
    fs::write(&path, "good").unwrap();
    let mut file = OutFile::create(&path).unwrap();
    end(&mut file, &graded("a", 1.0)).unwrap();
    drop(file);
    assert_eq!(fs::read_to_string(&path).unwrap(), "good");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let folder = TempDir::new().unwrap();
    let (real, link) = (
        folder.path().join("real.json"),
        folder.path().join("link.json"),
    );
    fs::write(&real, "old").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    OutFile::create(&link).unwrap().finish().unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "[]\n");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
}

#[test]
fn an_unwritable_destination_is_reported_before_the_run() {
    let folder = TempDir::new().unwrap();
    let error = |name: &str| {
        let path = folder.path().join(name);
        let error = OutFile::create(&path).unwrap_err();
        assert_eq!(error.to, path.display().to_string());
        error.source.to_string()
    };
    let known = "expected one of `.jsonl`, `.yaml`, `.yml`, `.json`, `.csv`";
    assert_eq!(
        error("out.txt"),
        format!("unknown extension `.txt`; {known}")
    );
    assert_eq!(
        error("out"),
        format!("the file name has no extension; {known}")
    );
    fs::create_dir(folder.path().join("folder.csv")).unwrap();
    assert_eq!(error("folder.csv"), "it is a folder; name a file");
    fs::write(folder.path().join("file"), "").unwrap();
    error("file/out.csv");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

/// A writer that takes this many bytes, then reports a full disk.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.0.checked_sub(bytes.len()) else {
            return Err(io::ErrorKind::StorageFull.into());
        };
        self.0 = left;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_reported_by_every_format() {
    for name in ["a.jsonl", "a.json", "a.yaml", "a.csv"] {
        for room in [0, 100_000] {
            let layout = (Format::of(Path::new(name)).unwrap().start)();
            let mut writer = RecordWriter::new(layout, Full(room));
            let record = graded("a", 1.0);
            let mut records = (0..2_000).map(|_| writer.write(&record));
            let error = match records.find_map(Result::err) {
                Some(error) => error,
                None => writer.finish().err().unwrap(),
            };
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{name} {room}");
        }
    }
}
