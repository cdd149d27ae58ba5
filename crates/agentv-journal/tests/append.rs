//! Appending to disks that fail.

use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use agentv_journal::{Append, AppendError, RecordFile, SYNC_INTERVAL};
use tempfile::TempDir;

use crate::support::{
    EDQUOT, EIO, ENOSPC, Fault, Faults, FaultyFile, Sample, line, now, read, results, run, sample,
};

/// An appender with two records written, and the faults to come.
fn failing() -> (TempDir, PathBuf, Faults, Append<FaultyFile>) {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("results.jsonl");
    let file = File::options()
        .create(true)
        .append(true)
        .open(&path)
        .unwrap();
    let faults = Faults::default();
    let mut append = Append::new(faults.on(file), 0, &path);
    for number in 0..2 {
        append.append(&sample(number), Instant::now()).unwrap();
    }
    (root, path, faults, append)
}

fn samples(numbers: impl IntoIterator<Item = u64>) -> Vec<Sample> {
    numbers.into_iter().map(sample).collect()
}

#[test]
fn a_record_is_one_write() {
    let (_root, path, faults, mut append) = failing();
    assert_eq!(faults.script().write_calls, 2);
    let at = append.append(&sample(2), Instant::now()).unwrap();
    assert_eq!(faults.script().write_calls, 3);
    assert_eq!(at.offset + at.length, path.metadata().unwrap().len());
    assert_eq!(at.length, line(&sample(2)).len() as u64);
}

#[test]
fn a_failed_write_is_undone_and_appending_continues() {
    for (faulty, told) in [
        (vec![Fault::Error(ENOSPC)], "the disk is full"),
        (
            vec![Fault::Short(9), Fault::Error(ENOSPC)],
            "the disk is full",
        ),
        (
            vec![Fault::Short(9), Fault::Error(EDQUOT)],
            "the disk quota is used up",
        ),
        (
            vec![Fault::Short(1), Fault::Short(1), Fault::Error(EIO)],
            "os error 5",
        ),
        (vec![Fault::Short(9), Fault::Zero], "write zero"),
    ] {
        let (_root, path, faults, mut append) = failing();
        faults.script().writes = faulty;
        let error = append.append(&sample(2), Instant::now()).unwrap_err();
        assert!(matches!(error, AppendError::Write { .. }), "{error:?}");
        let message = error.to_string();
        assert!(message.contains(told), "{message}");
        assert!(
            message.contains("all earlier records are safe"),
            "{message}"
        );
        assert_eq!(error.is_full(), told.starts_with("the disk"), "{message}");
        let whole: String = samples(0..2).iter().map(line).collect();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), whole);
        append.append(&sample(3), Instant::now()).unwrap();
        append.finish().unwrap();
        assert_eq!(read(&path), (samples([0, 1, 3]), vec![]));
    }
}

#[test]
fn short_writes_and_signals_are_not_failures() {
    let (_root, path, faults, mut append) = failing();
    faults.script().writes = vec![
        Fault::Interrupted,
        Fault::Short(5),
        Fault::Interrupted,
        Fault::Short(1),
    ];
    faults.script().syncs = vec![Fault::Interrupted];
    append.append(&sample(2), Instant::now()).unwrap();
    append.finish().unwrap();
    assert_eq!(read(&path), (samples(0..3), vec![]));
}

#[test]
fn a_disk_that_is_full_at_any_byte_leaves_whole_records_only() {
    let length = line(&sample(2)).len() as u64;
    for room in 0..length {
        let (_root, path, faults, mut append) = failing();
        faults.script().room = Some(room);
        let error = append.append(&sample(2), Instant::now()).unwrap_err();
        assert!(error.is_full(), "{error}");
        assert_eq!(read(&path), (samples(0..2), vec![]));
        assert_eq!(path.metadata().unwrap().len(), append.length());
        faults.script().room = None;
        append.append(&sample(2), Instant::now()).unwrap();
        assert_eq!(read(&path), (samples(0..3), vec![]));
    }
}

#[test]
fn an_incomplete_record_is_removed_before_the_next_one_at_the_latest() {
    let (_root, path, faults, mut append) = failing();
    faults.script().writes = vec![Fault::Short(9), Fault::Error(EIO)];
    faults.script().cuts = vec![Fault::Error(EIO), Fault::Error(EIO)];
    append.append(&sample(2), Instant::now()).unwrap_err();
    append.append(&sample(2), Instant::now()).unwrap_err();
    assert_eq!(
        read(&path),
        (samples(0..2), vec![]),
        "no newline, no record"
    );
    append.append(&sample(3), Instant::now()).unwrap();
    assert_eq!(read(&path), (samples([0, 1, 3]), vec![]));
}

#[test]
fn a_process_that_dies_at_any_byte_loses_the_record_it_wrote_only() {
    let length = line(&sample(0)).len() as u64;
    for dies_after in 0..length {
        let (_root, folder) = run();
        let path = results(&folder);
        let file = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .unwrap();
        let faults = Faults::default();
        let mut append = Append::new(faults.on(file), 0, &path);
        append.append(&sample(1), Instant::now()).unwrap();
        faults.script().dies_after = Some(dies_after);
        append.append(&sample(0), Instant::now()).unwrap_err();
        drop(append);
        let mut writer = folder.write(now()).unwrap();
        let mut append = writer.append(RecordFile::Results).unwrap();
        assert_eq!(append.recovery().cut, dies_after);
        append.append(&sample(2), Instant::now()).unwrap();
        append.finish().unwrap();
        assert_eq!(read(&path), (samples(1..3), vec![]));
    }
}

#[test]
fn records_are_synced_about_once_a_second_and_at_the_end() {
    let (_root, _path, faults, mut append) = failing();
    append.sync().unwrap();
    assert_eq!(faults.script().sync_calls, 1);
    let start = Instant::now();
    for step in 0..100 {
        let now = start + step * Duration::from_millis(100);
        append.append(&sample(step.into()), now).unwrap();
    }
    assert_eq!(faults.script().sync_calls, 1 + 9);
    assert!(append.next_sync().is_some());
    append.finish().unwrap();
    assert_eq!(faults.script().sync_calls, 1 + 9 + 1);
}

#[test]
fn a_caller_learns_when_to_sync_a_journal_that_no_longer_grows() {
    let (_root, _path, faults, mut append) = failing();
    append.sync().unwrap();
    assert_eq!(append.next_sync(), None);
    let start = Instant::now();
    append.append(&sample(2), start).unwrap();
    assert_eq!(append.next_sync(), Some(start + SYNC_INTERVAL));
    assert!(!append.sync_due(start + SYNC_INTERVAL - Duration::from_millis(1)));
    assert!(append.sync_due(start + SYNC_INTERVAL));
    append.sync().unwrap();
    append.sync().unwrap();
    assert_eq!(
        faults.script().sync_calls,
        2,
        "nothing new, nothing to sync"
    );
}

#[test]
fn after_a_failed_sync_nothing_is_reported_as_safe() {
    let (_root, path, faults, mut append) = failing();
    faults.script().syncs = vec![Fault::Error(EIO)];
    let error = append.sync().unwrap_err();
    assert!(matches!(error, AppendError::Sync { .. }), "{error:?}");
    assert!(error.to_string().contains("may not survive"), "{error}");
    append.append(&sample(2), Instant::now()).unwrap_err();
    append.sync().unwrap_err();
    append.finish().unwrap_err();
    assert_eq!(read(&path), (samples(0..2), vec![]));
}

#[test]
fn a_record_that_is_not_one_line_is_refused_and_others_are_written() {
    let (_root, path, _faults, append) = failing();
    let mut append = append.limit(400);
    let unserializable = std::collections::BTreeMap::from([(vec![1], 1)]);
    let error = append.append(&unserializable, Instant::now()).unwrap_err();
    assert!(matches!(error, AppendError::Record { .. }), "{error:?}");
    let error = append.append(&"x".repeat(400), Instant::now()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("403 bytes, and the maximum is 400"),
        "{error}"
    );
    append.append(&sample(2), Instant::now()).unwrap();
    assert_eq!(read(&path), (samples(0..3), vec![]));
}

#[test]
fn an_appender_of_any_storage_is_one_type() {
    let (_root, path, faults, append) = failing();
    let boxed: Box<dyn agentv_journal::Storage> = Box::new(append.finish().unwrap());
    let length = path.metadata().unwrap().len();
    let mut append = Append::new(boxed, length, &path);
    faults.script().writes = vec![Fault::Error(ENOSPC)];
    append.append(&sample(2), Instant::now()).unwrap_err();
    append.append(&sample(2), Instant::now()).unwrap();
    assert_eq!(read(&path), (samples(0..3), vec![]));
}
