//! Merging shards into one run.

use std::fs;
use std::time::Instant;

use agentv_journal::{FolderError, KeyFields, MergeRule, RecordFile, RunFolder};

use crate::support::{Sample, line, now, read, results, sample};

fn rule() -> MergeRule {
    MergeRule {
        key: KeyFields::new(["key"]),
        time: "timestamp".to_owned(),
    }
}

fn made_at(time: &str, number: u64) -> Sample {
    Sample {
        timestamp: time.to_owned(),
        ..sample(number)
    }
}

#[test]
fn shards_become_one_run_and_merging_again_changes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let create = || RunFolder::create_at(root.path(), now()).unwrap();
    let shards: Vec<RunFolder> = (0..100).map(|_| create()).collect();
    for number in 0..1_000 {
        let mut text = fs::read_to_string(results(&shards[number % 100])).unwrap_or_default();
        text += &line(&sample(number as u64));
        fs::write(results(&shards[number % 100]), text).unwrap();
    }
    let all = create();
    let mut writer = all.write(now()).unwrap();
    let merged = writer.merge(RecordFile::Results, &shards, &rule()).unwrap();
    assert_eq!((merged.records, merged.damaged_lines), (1_000, 0));
    let first = fs::read(results(&all)).unwrap();
    let (records, _) = read(&results(&all));
    assert!(records.is_sorted_by_key(|record| record.timestamp.clone()));

    let backwards: Vec<RunFolder> = shards.into_iter().rev().collect();
    writer
        .merge(RecordFile::Results, &backwards, &rule())
        .unwrap();
    writer.merge(RecordFile::Results, &[], &rule()).unwrap();
    assert_eq!(fs::read(results(&all)).unwrap(), first);
    let other = create();
    let mut writer = other.write(now()).unwrap();
    writer
        .merge(RecordFile::Results, &backwards, &rule())
        .unwrap();
    assert_eq!(fs::read(results(&other)).unwrap(), first);

    let mut append = writer.append(RecordFile::Results).unwrap();
    let refused = writer.merge(RecordFile::Results, &backwards, &rule());
    assert!(matches!(refused, Err(FolderError::InUse(_))));
    append.append(&sample(1_000), Instant::now()).unwrap();
    append.finish().unwrap();
    assert_eq!(read(&results(&other)).0.len(), 1_001);
}

#[test]
fn the_later_time_wins_whatever_its_spelling() {
    let root = tempfile::tempdir().unwrap();
    let paths: Vec<_> = (0..4)
        .map(|name| root.path().join(name.to_string()))
        .collect();
    fs::write(&paths[0], line(&made_at("2026-11-15T10:00:00Z", 1))).unwrap();
    fs::write(&paths[1], line(&made_at("2026-11-15T10:00:00.25Z", 1))).unwrap();
    fs::write(&paths[2], line(&made_at("2026-11-15T11:00:00.2+01:00", 1))).unwrap();
    fs::write(&paths[3], line(&made_at("whenever", 1))).unwrap();
    let into = root.path().join("all");
    agentv_journal::merge_files(&paths, &into, &rule()).unwrap();
    assert_eq!(read(&into).0, [made_at("2026-11-15T10:00:00.25Z", 1)]);
}

#[test]
fn damaged_lines_are_reported_with_their_file_and_skipped() {
    let root = tempfile::tempdir().unwrap();
    let source = root.path().join("shard");
    fs::write(
        &source,
        format!("{}{{\"torn\n{}", line(&sample(1)), line(&sample(2))),
    )
    .unwrap();
    let into = root.path().join("all");
    let sources = [source.clone(), root.path().join("none")];
    let merged = agentv_journal::merge_files(&sources, &into, &rule()).unwrap();
    assert_eq!((merged.records, merged.damaged_lines), (2, 1));
    assert_eq!((&merged.damage[0].0, merged.damage[0].1.line), (&source, 2));
}
