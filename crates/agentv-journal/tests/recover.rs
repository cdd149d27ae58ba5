//! Opening a folder after a crash.

use std::fs;
use std::time::Instant;

use agentv_journal::{Reader, RecordFile, RunFolder};
use serde_json::Value;

use crate::support::{Sample, line, now, read, results, run, sample, split};

fn lines(count: u64) -> Vec<u8> {
    (0..count)
        .flat_map(|number| line(&sample(number)).into_bytes())
        .collect()
}

/// Opens the folder for appending and adds record 99; returns the number of bytes that were cut
/// off.
fn reopened(folder: &RunFolder) -> u64 {
    let mut writer = folder.write(now()).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    let cut = append.recovery().cut;
    append.append(&sample(99), Instant::now()).unwrap();
    append.finish().unwrap();
    cut
}

fn samples(numbers: impl IntoIterator<Item = u64>) -> Vec<Sample> {
    numbers.into_iter().map(sample).collect()
}

#[test]
fn a_file_cut_at_every_byte_of_its_last_record_gives_all_earlier_ones() {
    let whole = lines(4);
    let earlier = lines(3).len();
    for cut in earlier..whole.len() {
        let (_root, folder) = run();
        fs::write(results(&folder), &whole[..cut]).unwrap();
        assert_eq!(
            read(&results(&folder)),
            (samples(0..3), vec![]),
            "a reader at {cut}"
        );
        assert_eq!(reopened(&folder), (cut - earlier) as u64);
        assert_eq!(
            read(&results(&folder)),
            (samples([0, 1, 2, 99]), vec![]),
            "at {cut}"
        );
    }
}

#[test]
fn everything_after_the_last_whole_record_is_removed() {
    let nothing: &[u8] = b"";
    for tail in [
        nothing,
        b"\0\0\0\0",
        &[0; 10_000],
        b"{\"key\":\"a\0\0\0\0",
        b"{\"key\":\"a\0\0\0\0\n",
        b"{\"key\":\"a\n\0\0\n{\n",
        b"{\"key\":\"\xff\"}\n",
        b"\n\n",
        b"{\"key\":\"caf\xc3",
    ] {
        let (_root, folder) = run();
        let mut bytes = lines(3);
        bytes.extend(tail);
        fs::write(results(&folder), &bytes).unwrap();
        assert_eq!(reopened(&folder), tail.len() as u64, "{tail:?}");
        assert_eq!(
            read(&results(&folder)),
            (samples([0, 1, 2, 99]), vec![]),
            "{tail:?}"
        );
    }
}

#[test]
fn files_without_a_whole_record_are_empty() {
    for bytes in [b"".as_slice(), b"{", b"\0\0\0", b"\n", &[0; 70_000]] {
        let (_root, folder) = run();
        fs::write(results(&folder), bytes).unwrap();
        assert_eq!(reopened(&folder), bytes.len() as u64);
        assert_eq!(read(&results(&folder)), (samples([99]), vec![]));
    }
}

#[test]
fn an_incomplete_line_in_the_middle_is_reported_and_skipped_but_never_truncated() {
    for torn in [
        b"{\"key\":".as_slice(),
        b"\0\0\0",
        b"\xff\xff",
        b"{} {}",
        b"[1,2]",
    ] {
        let (_root, folder) = run();
        let mut bytes = lines(2);
        bytes.extend(torn);
        bytes.push(b'\n');
        bytes.extend(b"\r\n");
        bytes.extend(line(&sample(2)).into_bytes());
        fs::write(results(&folder), &bytes).unwrap();
        assert_eq!(reopened(&folder), 0);
        assert_eq!(
            read(&results(&folder)),
            (samples([0, 1, 2, 99]), vec![3]),
            "{torn:?}"
        );
    }
}

#[test]
fn damage_says_what_is_wrong() {
    let (_root, folder) = run();
    let path = results(&folder);
    fs::write(
        &path,
        b"{\"a\":1\n{\"a\":\0}\n{\"a\":\"\xff\"}\n{\"a\":[1,2,3,4,5,6,7,8,9]}\n",
    )
    .unwrap();
    let told: Vec<String> = Reader::<Value>::with_limit(&path, 20)
        .unwrap()
        .map(|line| match line.unwrap() {
            agentv_journal::Line::Damaged(damage) => damage.to_string(),
            agentv_journal::Line::Record(record) => panic!("{record:?}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "line 1 is damaged and was skipped: EOF while parsing an object at column 6",
            "line 2 is damaged and was skipped: byte 6 is NUL",
            "line 3 is damaged and was skipped: byte 7 is not UTF-8",
            "line 4 is damaged and was skipped: it is too long (25 bytes)",
        ]
    );
}

#[test]
fn a_reader_follows_a_growing_file() {
    let (_root, folder) = run();
    let mut writer = folder.write(now()).unwrap();
    let mut append = writer.append(RecordFile::Results).unwrap();
    let mut reader = folder.records::<Sample>(RecordFile::Results).unwrap();
    assert!(reader.next().is_none());
    for number in 0..50 {
        append.append(&sample(number), Instant::now()).unwrap();
        let (seen, damaged) = split(&mut reader);
        assert_eq!((seen, damaged), (vec![sample(number)], vec![]));
    }
}

#[test]
fn a_reader_does_not_splice_a_record_that_was_taken_back() {
    let (_root, folder) = run();
    let path = results(&folder);
    let first = line(&sample(0));
    fs::write(&path, format!("{first}{{\"key\":\"torn")).unwrap();
    let mut reader = folder.records::<Sample>(RecordFile::Results).unwrap();
    assert_eq!(split(&mut reader), (samples([0]), vec![]));
    reopened(&folder);
    assert_eq!(split(&mut reader), (samples([99]), vec![]));
}

#[test]
fn a_clean_end_costs_the_same_however_long_the_file() {
    let (_root, folder) = run();
    let mut bytes = line(&sample(0)).into_bytes();
    let long = serde_json::to_vec(&"x".repeat(3 << 20)).unwrap();
    bytes.extend([long.as_slice(), b"\n"].concat());
    fs::write(results(&folder), &bytes).unwrap();
    assert_eq!(reopened(&folder), 0);
    fs::write(results(&folder), &bytes[..bytes.len() - 2]).unwrap();
    assert_eq!(reopened(&folder), long.len() as u64 - 1);
    assert_eq!(read(&results(&folder)), (samples([0, 99]), vec![]));
}
