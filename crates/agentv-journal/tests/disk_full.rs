//! A real disk that is full.

use std::fs;
use std::time::Instant;

use agentv_journal::{AppendError, RecordFile, RunFolder};
use agentv_testkit::SmallDisk;

use crate::support::{Sample, now, read, results, sample};

fn large(number: u64) -> Sample {
    Sample {
        text: "x".repeat(5_000),
        ..sample(number)
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_full_disk_is_reported_keeps_whole_records_and_appending_resumes_with_space() {
    let below = tempfile::tempdir().unwrap();
    let disk = match SmallDisk::mount(below.path(), 64) {
        Ok(disk) => disk,
        Err(reason) => return eprintln!("skipped: {reason}"),
    };
    let ballast = disk.path().join("ballast");
    fs::write(&ballast, vec![0; 20_000]).unwrap();
    let folder = RunFolder::create_at(disk.path(), now()).unwrap();
    let mut writer = folder.write(now()).unwrap();
    writer.write_run(&serde_json::json!({"files": 1})).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();

    let mut whole = Vec::new();
    let error = loop {
        let record = large(whole.len() as u64);
        match append.append(&record, Instant::now()) {
            Ok(_) => whole.push(record),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, AppendError::Write { .. }), "{error:?}");
    assert!(error.is_full());
    assert!(error.to_string().contains("the disk is full"), "{error}");
    assert!((5..12).contains(&whole.len()), "{}", whole.len());
    assert_eq!(read(&results(&folder)), (whole.clone(), vec![]));
    assert_eq!(results(&folder).metadata().unwrap().len(), append.length());

    // The same holds for `run.json`: the old one stays.
    let error = writer
        .write_run(&serde_json::json!({"files": "x".repeat(70_000)}))
        .unwrap_err();
    assert!(error.to_string().contains("No space left"), "{error}");
    let run: serde_json::Value = folder.run().unwrap().unwrap();
    assert_eq!(run["files"], 1);

    // A new process can open a folder on a full disk too.
    append.finish().unwrap();
    drop(writer);
    let mut writer = folder.write(now()).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    assert_eq!(append.recovery().cut, 0);
    append.append(&large(50), Instant::now()).unwrap_err();

    fs::remove_file(&ballast).unwrap();
    append.append(&large(51), Instant::now()).unwrap();
    append.finish().unwrap();
    whole.push(large(51));
    assert_eq!(read(&results(&folder)), (whole, vec![]));
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "lock")
        .collect();
    names.sort();
    assert_eq!(names, ["results.jsonl", "run.json"]);
}
