//! The last record of each key.

use std::fs;
use std::time::Instant;

use agentv_journal::{Key, KeyFields, RecordFile, latest_by_key};
use serde_json::{Value, json};

use crate::support::{Sample, line, now, results, run, sample, split};

fn key() -> KeyFields {
    KeyFields::new(["key"])
}

#[test]
fn a_later_record_supersedes_an_earlier_one_of_its_key() {
    let (_root, folder) = run();
    let mut writer = folder.write(now()).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    let retried = Sample {
        text: "second try".to_owned(),
        ..sample(1)
    };
    for record in [&sample(0), &sample(1), &sample(2), &retried] {
        append.append(record, Instant::now()).unwrap();
    }
    let mut latest = folder.latest(RecordFile::Results, &key()).unwrap();
    // Records that are added after the fold are not part of it.
    append.append(&sample(3), Instant::now()).unwrap();
    assert_eq!(latest.len(), 3);
    let found = latest.get::<Sample>(&Key::from("key-1")).unwrap().unwrap();
    assert_eq!(found.value, retried);
    assert!(latest.get::<Sample>(&Key::from("key-3")).unwrap().is_none());
    let (records, damaged) = split(latest.records::<Sample>());
    assert_eq!(records, [sample(0), sample(2), retried]);
    assert!(damaged.is_empty());
}

#[test]
fn several_readers_get_records_as_they_are_written() {
    let (_root, folder) = run();
    let lines = [
        r#"{"key":"a", "n": 1.50}"#,
        r#"{"key":"b"}"#,
        r#"{"n": 2, "key":"a"}"#,
    ];
    fs::write(results(&folder), lines.join("\n") + "\n").unwrap();
    let mut first = folder.latest(RecordFile::Results, &key()).unwrap();
    let mut second = first.reopen().unwrap();
    for latest in [&mut first, &mut second] {
        assert_eq!(latest.text(&Key::from("a")).unwrap(), Some(lines[2]));
        assert_eq!(latest.text(&Key::from("c")).unwrap(), None);
        let offsets = latest.offsets();
        let texts: Vec<String> = offsets
            .iter()
            .map(|offset| latest.text_at(*offset).unwrap().to_owned())
            .collect();
        assert_eq!(texts, lines[1..]);
    }
}

#[test]
fn the_same_file_folds_by_one_key_or_another() {
    let (_root, folder) = run();
    let path = results(&folder);
    let record = |answer: &str, grade: &str, trial: u64| {
        json!({"answer_key": answer, "grade_key": grade, "trial": trial}).to_string() + "\n"
    };
    let text = [
        record("a", "a1", 1),
        record("a", "a2", 1),
        record("b", "b1", 2),
    ];
    fs::write(&path, text.concat()).unwrap();
    let count = |fields: &[&str]| {
        let fields = KeyFields::new(fields.iter().copied());
        latest_by_key(&path, &fields).unwrap().len()
    };
    assert_eq!(count(&["answer_key"]), 2);
    assert_eq!(count(&["grade_key"]), 3);
    assert_eq!(count(&["answer_key", "trial"]), 2);
}

#[test]
fn lines_without_a_key_are_reported() {
    let (_root, folder) = run();
    let path = results(&folder);
    let text = format!(
        "{}{{\"no\":1}}\n{{\"key\":\n\n{}{{\"key\"",
        line(&sample(0)),
        line(&sample(1))
    );
    fs::write(&path, text).unwrap();
    let latest = latest_by_key(&path, &key()).unwrap();
    assert_eq!(latest.damaged_lines(), 2);
    let told: Vec<String> = latest.damage().iter().map(ToString::to_string).collect();
    assert_eq!(
        told[0],
        "line 2 is damaged and was skipped: `key` is missing"
    );
    assert!(told[1].starts_with("line 3 is damaged"), "{told:?}");
    assert_eq!(split(latest.records::<Sample>()).0, [sample(0), sample(1)]);
}

#[test]
fn a_file_that_is_not_there_has_no_records() {
    let (_root, folder) = run();
    let mut latest = folder.latest(RecordFile::Transcripts, &key()).unwrap();
    assert!(latest.is_empty());
    assert!(!latest.contains(&Key::from("a")).unwrap());
    assert_eq!(latest.records::<Value>().count(), 0);
}
