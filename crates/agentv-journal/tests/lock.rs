//! One writer per folder.

use std::io::{BufRead, BufReader};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use agentv_journal::{FolderError, RecordFile, RunFolder};

use crate::support::{child, child_argument, now, run};

/// In the child: holds the lock until it is killed.
#[test]
#[expect(clippy::print_stdout, reason = "tells the parent that it has begun")]
fn holder() {
    let Some(path) = child_argument() else {
        return;
    };
    let _writer = RunFolder::open(&path).unwrap().write(now()).unwrap();
    println!("locked");
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_second_process_is_refused_with_a_message_until_the_first_is_killed() {
    let (_root, folder) = run();
    let mut process = child("lock::holder", folder.path()).spawn().unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("locked")));

    assert!(folder.is_being_written());
    let error = folder.write(now()).unwrap_err();
    let told = format!(
        "run `2026-11-15T10-43-07Z-4f1a` is being written by process {} (since \
         2026-11-15T10:43:07.309Z); wait until it finishes, or stop it",
        process.id()
    );
    assert_eq!(error.to_string(), told);
    assert!(matches!(error, FolderError::Locked { .. }));
    folder.records::<u8>(RecordFile::Results).unwrap();
    assert_eq!(folder.run::<u8>().unwrap(), None, "readers need no lock");

    process.kill().unwrap();
    process.wait().unwrap();
    assert!(folder.path().join("lock").exists(), "left by the dead");
    assert!(!folder.is_being_written());
    let writer = folder.write(now()).unwrap();
    drop(writer);
    assert!(!folder.path().join("lock").exists());
}

#[test]
fn the_lock_lasts_as_long_as_a_file_is_open() {
    let (_root, folder) = run();
    let mut writer = folder.write(now()).unwrap();
    let append = writer.append(RecordFile::Results).unwrap();
    drop(writer);
    assert!(matches!(
        folder.write(now()),
        Err(FolderError::Locked { .. })
    ));
    append.finish().unwrap();
    folder.write(now()).unwrap();
}

#[test]
fn a_file_is_opened_once_at_a_time() {
    let (_root, folder) = run();
    let mut writer = folder.write(now()).unwrap();
    let append = writer.append(RecordFile::Results).unwrap();
    let error = writer.append(RecordFile::Results).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("results.jsonl` is already open"),
        "{error}"
    );
    writer.append(RecordFile::Transcripts).unwrap();
    drop(append);
    writer.append(RecordFile::Results).unwrap();
}

#[test]
fn only_one_of_many_writers_writes_at_a_time() {
    let (_root, folder) = run();
    let inside = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut writes = 0;
                while writes < 100 {
                    match folder.write(now()) {
                        Ok(_writer) => {
                            assert_eq!(inside.fetch_add(1, SeqCst), 0);
                            writes += 1;
                            inside.fetch_sub(1, SeqCst);
                        }
                        Err(FolderError::Locked { .. }) => std::thread::yield_now(),
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
}
