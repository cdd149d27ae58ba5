//! SIGKILL of a real process that is writing.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use agentv_journal::{RecordFile, RunFolder};
use agentv_testkit::Random;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::support::{child, child_argument, now, results, run, split};

const SEED: u64 = 20_261_115;

fn numbers(folder: &RunFolder) -> Vec<u64> {
    let (records, damaged) = split(folder.records::<Value>(RecordFile::Results).unwrap());
    assert_eq!(damaged, Vec::<u64>::new());
    records
        .iter()
        .map(|record| record["number"].as_u64().unwrap())
        .collect()
}

/// In the child: continues where the file ends, and prints the number of each written record, until
/// it is killed.
#[test]
#[expect(clippy::print_stdout, reason = "tells the parent what is written")]
fn writer() {
    let Some(path) = child_argument() else {
        return;
    };
    let folder = RunFolder::open(&path).unwrap();
    let mut writer = folder.write(Timestamp::now()).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    let first = numbers(&folder).len() as u64;
    let mut random = Random::new(SEED + first);
    println!();
    for number in first.. {
        let length = match random.between(0, 9) {
            0 => random.between(100_000, 1_000_000),
            _ => random.between(0, 3_000),
        };
        let record = json!({"number": number, "text": "é".repeat(length as usize / 2)});
        append.append(&record, Instant::now()).unwrap();
        println!("{number}");
    }
}

/// The result of a round of writing.
struct Left {
    /// The number of records that the writer knew to be written.
    known: u64,
    /// The number of bytes that were cut off.
    cut: u64,
    numbers: Vec<u64>,
}

/// Starts a writer, and kills it some time after its first record.
fn killed_after(folder: &RunFolder, delay: Duration) -> Left {
    let mut process = child("kill::writer", folder.path()).spawn().unwrap();
    let lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let mut known = lines.filter_map(|line| line.unwrap().parse::<u64>().ok());
    let first = known.next().unwrap();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(delay);
        process.kill().unwrap();
        process.wait().unwrap()
    });
    let last = known.last().unwrap_or(first);
    assert_eq!(killer.join().unwrap().signal(), Some(9));
    let mut writer = folder.write(now()).unwrap();
    let append = writer.append(RecordFile::Results).unwrap();
    Left {
        known: last + 1,
        cut: append.recovery().cut,
        numbers: numbers(folder),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a failure can be had again")]
fn a_killed_writer_leaves_whole_records_and_the_next_one_continues() {
    eprintln!("seed {SEED}");
    let (_root, folder) = run();
    let mut random = Random::new(SEED);
    let (mut torn, mut count) = (0, 0);
    for round in 0..30 {
        let delay = Duration::from_micros(random.between(0, 25_000));
        let left = killed_after(&folder, delay);
        let expected: Vec<u64> = (0..left.numbers.len() as u64).collect();
        assert_eq!(left.numbers, expected, "round {round}");
        assert!(
            left.numbers.len() as u64 >= left.known,
            "round {round}: a record was lost"
        );
        assert!(left.numbers.len() as u64 <= left.known + 1, "round {round}");
        torn += u64::from(left.cut > 0);
        count = left.numbers.len();
    }
    let bytes = results(&folder).metadata().unwrap().len();
    eprintln!("{count} records, {bytes} bytes, 30 kills, {torn} in the middle of a write");
}
