//! Laws for any bytes in a run folder: the fuzz target, and the test of its seeds.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use agentv_journal::{
    Damage, Ending, Key, KeyFields, Line, MergeRule, Reader, RecordFile, RunFolder, latest_by_key,
    list_runs, merge_files,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A run folder, in memory if possible, that is overwritten again and again.
pub struct Journal {
    root: TempDir,
    folder: RunFolder,
}

impl Default for Journal {
    fn default() -> Journal {
        let memory = Path::new("/dev/shm");
        let root = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let root = root.expect("a temporary folder");
        let id = "2026-11-15T10-43-07Z-4f1a".parse().expect("an id");
        let folder = RunFolder::create(&root.path().join("results"), &id);
        Journal {
            folder: folder.expect("a run folder"),
            root,
        }
    }
}

/// The records of a file with their offsets, and the lines that are not records.
type Found = (Vec<(u64, Value)>, Vec<Damage>);

impl Journal {
    /// Every line is a record or counted damage; only incomplete records are cut off, once; the
    /// records that count are those that a plain walk finds; merging loses no key and terminates.
    pub fn journal(&self, bytes: &[u8]) {
        let path = self.folder.file(RecordFile::Results);
        fs::write(&path, bytes).expect("the results");
        let before = read(&path);
        every_line_is_counted(bytes, &before);
        self.a_finished_file_has_a_last_line(bytes, &path, &before);
        self.the_last_of_each_key_counts(bytes, &path, &before);
        self.merging_ends(bytes, &path, &before);
        self.only_incomplete_records_are_truncated(bytes, &path, &before);
        self.compaction_removes_only_unwanted_records(&path);
        self.any_bytes_are_a_run_or_none(bytes);
    }

    fn a_finished_file_has_a_last_line(&self, bytes: &[u8], path: &Path, before: &Found) {
        let lines = Reader::with_ending(path, Ending::Finished).expect("the results");
        let (records, damage) = found(lines);
        assert_eq!(records[..before.0.len()], before.0);
        let whole = bytes.ends_with(b"\n");
        let more = records.len() + damage.len() - before.0.len() - before.1.len();
        assert!(more <= usize::from(!whole), "{more}");
    }

    fn the_last_of_each_key_counts(&self, bytes: &[u8], path: &Path, (records, _): &Found) {
        let fields = KeyFields::new(["key", "trial"]);
        let mut last: BTreeMap<Key, usize> = BTreeMap::new();
        let mut values = records.iter().peekable();
        let mut start = 0;
        for line in whole(bytes).split_inclusive(|byte| *byte == b'\n') {
            let value = values.next_if(|(offset, _)| *offset == start as u64);
            let text = std::str::from_utf8(line).ok();
            if let Some(key) = text.and_then(|text| fields.key_of(text).ok()) {
                if let Some(same) = value.and_then(|(_, value)| key_of(value)) {
                    assert_eq!(same, key);
                }
                last.insert(key, start);
            }
            start += line.len();
        }
        let mut latest = latest_by_key(path, &fields).expect("the results");
        let mut offsets: Vec<u64> = last.values().map(|offset| *offset as u64).collect();
        offsets.sort_unstable();
        assert_eq!(latest.offsets(), offsets);
        for (key, start) in last {
            let text = latest.text(&key).expect("the results");
            let text = text.expect("the last of its key").to_owned();
            assert!(bytes[start..].starts_with(text.as_bytes()));
            let offset = start as u64;
            let value = records.iter().find(|(at, _)| *at == offset);
            let record = latest.get::<Value>(&key).ok().flatten();
            let record = record.map(|record| (record.offset, record.value));
            assert_eq!(record.as_ref(), value);
        }
    }

    fn merging_ends(&self, bytes: &[u8], path: &Path, (records, _): &Found) {
        let rule = MergeRule {
            key: KeyFields::new(["key"]),
            time: "timestamp".to_owned(),
        };
        let into = self.root.path().join("merged");
        let _ = fs::remove_file(&into);
        let merge = |sources: &[PathBuf]| {
            let merged = merge_files(sources, &into, &rule).expect("a merge");
            (merged.records, fs::read(&into).expect("what was merged"))
        };
        let (count, once) = merge(&[path.to_owned()]);
        let keys = latest_by_key(path, &rule.key).expect("the results").len();
        // The time of a record is read as well, and may be the damaged part.
        assert!(count <= keys as u64);
        let mut kept = latest_by_key(&into, &rule.key).expect("what was merged");
        assert_eq!(kept.len() as u64, count);
        for (offset, _) in records {
            let line = bytes[*offset as usize..]
                .split(|byte| *byte == b'\n')
                .next();
            let text = std::str::from_utf8(line.unwrap_or_default()).expect("a record is text");
            if let Ok(key) = rule.key.key_of(text) {
                assert!(kept.contains(&key).expect("what was merged"), "{text}");
            }
        }
        assert_eq!(
            merge(&[path.to_owned(), path.to_owned()]),
            (count, once.clone())
        );
        assert_eq!(merge(&[]), (count, once));
    }

    fn only_incomplete_records_are_truncated(&self, bytes: &[u8], path: &Path, before: &Found) {
        let now = "2026-11-15T10:43:07Z".parse().expect("a time");
        let mut writer = self.folder.write(now).expect("the only writer");
        let append = writer.append(RecordFile::Results).expect("the results");
        let recovery = append.recovery();
        drop(append);
        assert_eq!(recovery.kept + recovery.cut, bytes.len() as u64);
        assert_eq!(
            fs::read(path).expect("the results"),
            bytes[..recovery.kept as usize]
        );
        let after = read(path);
        assert_eq!(after.0, before.0, "no record was lost");
        assert_eq!(after.1[..], before.1[..after.1.len()], "no damage was made");
        let mut append = writer.append(RecordFile::Results).expect("the results");
        assert_eq!(append.recovery().cut, 0, "a second time");
        let record = json!({"key": "one more", "trial": 1});
        let at = append.append(&record, Instant::now()).expect("room");
        append.finish().expect("a disk");
        assert_eq!(at.offset, recovery.kept);
        let (mut records, damage) = read(path);
        assert_eq!(records.pop(), Some((at.offset, record)));
        assert_eq!((records, damage), after, "beside the one more");
    }

    fn compaction_removes_only_unwanted_records(&self, path: &Path) {
        let fields = KeyFields::new(["key"]);
        let latest = || latest_by_key(path, &fields).expect("the results");
        let mut before = latest();
        let offsets = before.offsets();
        let wanted = &offsets[..offsets.len() / 2];
        let keys = wanted.iter().map(|offset| {
            let text = before.text_at(*offset).expect("a record");
            fields.key_of(text).expect("its key")
        });
        let keys: Vec<Key> = keys.collect();
        let now = "2026-11-15T10:43:07Z".parse().expect("a time");
        let mut writer = self.folder.write(now).expect("the only writer");
        let keep = writer.compact(RecordFile::Results, &fields, wanted);
        assert!(keep.expect("the results") >= (offsets.len() - wanted.len()) as u64);
        let mut after = latest();
        assert_eq!(after.len(), keys.len());
        assert_eq!(after.damaged_lines(), before.damaged_lines());
        for key in keys {
            assert!(after.contains(&key).expect("the results"));
        }
        let again = writer.compact(RecordFile::Results, &fields, &after.offsets());
        assert_eq!(again.expect("the results"), 0);
    }

    fn any_bytes_are_a_run_or_none(&self, bytes: &[u8]) {
        let path = self.folder.path().join("run.json");
        fs::write(&path, bytes).expect("a file");
        let run = self.folder.run::<Value>();
        let listed = list_runs(&self.root.path().join("results")).expect("the runs");
        assert_eq!(listed.len(), 1);
        let Ok(Some(run)) = run else { return };
        let now = "2026-11-15T10:43:07Z".parse().expect("a time");
        let writer = self.folder.write(now).expect("the only writer");
        match writer.write_run(&run) {
            Ok(()) => {
                let again = self.folder.run::<Value>().expect("what was written");
                assert_eq!(again, Some(run));
            }
            Err(_) => assert!(!run.is_object()),
        }
    }
}

/// Returns the key of a record whose key fields have valid values.
fn key_of(value: &Value) -> Option<Key> {
    let part = |name: &str| {
        let value = value.get(name)?;
        let text = value.as_str().map(Into::into);
        text.or_else(|| value.as_u64().map(Into::into))
    };
    Some(Key::of([part("key")?, part("trial")?]))
}

fn read(path: &Path) -> Found {
    found(Reader::open(path).expect("the results"))
}

fn found(lines: Reader<Value>) -> Found {
    let (mut records, mut damaged) = (Vec::new(), Vec::new());
    for line in lines {
        match line.expect("a file that can be read") {
            Line::Record(record) => records.push((record.offset, record.value)),
            Line::Damaged(damage) => damaged.push(damage),
        }
    }
    (records, damaged)
}

/// Returns the bytes up to the last newline.
fn whole(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte == b'\n');
    &bytes[..end.map_or(0, |end| end + 1)]
}

/// Checks that every complete line is a record, damage, or blank.
fn every_line_is_counted(bytes: &[u8], (records, damage): &Found) {
    let lines = whole(bytes).split_inclusive(|byte| *byte == b'\n');
    let written = lines.filter(|line| !line.trim_ascii().is_empty()).count();
    assert_eq!(records.len() + damage.len(), written);
    for it in damage {
        let start = it.offset as usize;
        assert_eq!(bytes[start + it.length as usize], b'\n');
        assert!(start == 0 || bytes[start - 1] == b'\n');
        assert!(it.reason.chars().count() < 300, "{}", it.reason);
    }
}
