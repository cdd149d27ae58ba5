//! Merging many record files into one, with a result that does not depend on their order.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use crate::atomic_file::{Access, AtomicFile, temporary_in};
use crate::disk;
use crate::file_error::FileError;
use crate::fold::{line_bytes, read_key, scan_lines};
use crate::key::{Key, KeyFields, KeyScan};
use crate::lines::{LineReader, MAX_LINE, SEEK_CHUNK};
use crate::read::{Damage, open_if_exists};

/// The rule by which one of several records with the same key is kept.
///
/// Within a file the last record of a key counts, as for every reader. Among files, the record with
/// the latest time is kept; if the times are equal, the one whose bytes sort last. A record without a
/// time is older than all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRule {
    /// The fields that identify a record.
    pub key: KeyFields,
    /// The field with the time of the record, in RFC 3339.
    pub time: String,
}

/// The result of a merge.
#[derive(Debug, Default)]
pub struct Merged {
    /// The number of records in the merged file.
    pub records: u64,
    /// The number of lines that were omitted because they are not records with a key.
    pub damaged_lines: u64,
    /// Descriptions of the first of these lines, with their files.
    pub damage: Vec<(PathBuf, Damage)>,
}

/// The number of files that are open at once; more files are merged in rounds.
const AT_ONCE: usize = 64;
/// The size of a read when many files are read in turn.
const CHUNK: usize = 1 << 15;

/// Merges the records of `sources` into the file `into`: one per key, sorted by time.
///
/// The result is the same, byte for byte, in whatever order and in however many steps files are
/// merged, and merging again changes nothing. `into` is replaced in one step. Missing sources have no
/// records. Holds 32 bytes per record.
///
/// # Errors
/// Fails if a file cannot be read or written; then `into` is unchanged.
///
/// ```
/// use agentv_journal::{KeyFields, MergeRule, merge_files};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (one, two, all) = (folder.path().join("1"), folder.path().join("2"), folder.path().join("3"));
/// std::fs::write(&one, "{\"key\":\"a\",\"at\":\"2026-11-15T10:00:00Z\"}\n")?;
/// std::fs::write(&two, "{\"key\":\"a\",\"at\":\"2026-11-15T10:00:00.5Z\"}\n")?;
/// let rule = MergeRule { key: KeyFields::new(["key"]), time: "at".to_owned() };
/// let merged = merge_files(&[two.clone(), one], &all, &rule)?;
/// assert_eq!(merged.records, 1);
/// assert_eq!(std::fs::read(&all)?, std::fs::read(&two)?);
/// # Ok(())
/// # }
/// ```
pub fn merge_files(
    sources: &[PathBuf],
    into: &Path,
    rule: &MergeRule,
) -> Result<Merged, FileError> {
    let mut merged = Merged::default();
    let mut paths: Vec<PathBuf> = sources.to_vec();
    paths.push(into.to_owned());
    let mut rounds: Vec<NamedTempFile> = Vec::new();
    while paths.len() > AT_ONCE {
        let rest = paths.split_off(AT_ONCE);
        let temporary = temporary_in(disk::folder_of(into));
        let temporary = temporary.map_err(FileError::of("write", into))?;
        merge_some(&paths, temporary.path(), rule, &mut merged)?;
        paths = rest;
        paths.push(temporary.path().to_owned());
        rounds.push(temporary);
    }
    merged.records = merge_some(&paths, into, rule, &mut merged)?;
    Ok(merged)
}

/// Replaces `into` with the merged records of `paths` and returns their number.
fn merge_some(
    paths: &[PathBuf],
    into: &Path,
    rule: &MergeRule,
    merged: &mut Merged,
) -> Result<u64, FileError> {
    let mut sources = Sources::default();
    let mut found = Vec::new();
    for path in paths {
        sources.add(path, rule, &mut found, merged)?;
    }
    sources.set_chunk(SEEK_CHUNK);
    keep_one_per_key(&mut found, &mut sources, rule)?;
    sort_for_output(&mut found, &mut sources)?;
    sources.set_chunk(CHUNK);
    let write = || FileError::of("write", into);
    let mut output = AtomicFile::create(into, Access::Owner).map_err(write())?;
    for record in &found {
        let line = sources.line(record)?;
        output.write_all(line).map_err(write())?;
        output.write_all(b"\n").map_err(write())?;
    }
    output.commit().map_err(write())?;
    Ok(found.len() as u64)
}

/// A record and its position.
#[derive(Debug, Clone, Copy)]
struct LocatedRecord {
    digest: u64,
    /// Nanoseconds since 1970, or the smallest number if there is no time.
    time: i64,
    offset: u64,
    source: u32,
}

/// The files to merge, by index.
#[derive(Debug, Default)]
struct Sources(Vec<(PathBuf, LineReader)>);

impl Sources {
    /// Adds a file and finds its records.
    fn add(
        &mut self,
        path: &Path,
        rule: &MergeRule,
        found: &mut Vec<LocatedRecord>,
        merged: &mut Merged,
    ) -> Result<(), FileError> {
        let mut lines = LineReader::new(open_if_exists(path)?, CHUNK, MAX_LINE);
        let mut scan = KeyScan::new(&rule.key, Some(&rule.time));
        let source = self.0.len() as u32;
        let damaged = scan_lines(&mut lines, &mut scan, |scan, offset| {
            found.push(LocatedRecord {
                digest: scan.digest(),
                time: scan.time.as_deref().map_or(i64::MIN, nanoseconds),
                offset,
                source,
            });
        })
        .map_err(FileError::of("read", path))?;
        merged.damaged_lines += damaged.count;
        let damage = damaged.first.into_iter();
        merged
            .damage
            .extend(damage.map(|damage| (path.to_owned(), damage)));
        self.0.push((path.to_owned(), lines));
        Ok(())
    }

    fn set_chunk(&mut self, chunk: usize) {
        let lines = self.0.iter_mut().map(|(_, lines)| lines);
        lines.for_each(|lines| lines.set_chunk(chunk));
    }

    fn line(&mut self, found: &LocatedRecord) -> Result<&[u8], FileError> {
        let (path, lines) = &mut self.0[found.source as usize];
        line_bytes(lines, found.offset).map_err(FileError::of("read", path))
    }

    fn key(&mut self, found: &LocatedRecord, scan: &mut KeyScan<'_>) -> Result<Key, FileError> {
        let (path, lines) = &mut self.0[found.source as usize];
        read_key(lines, scan, found.offset).map_err(FileError::of("read", path))?;
        Ok(scan.key.clone())
    }
}

/// Returns a time as a number, or the smallest number if the text is not a time.
fn nanoseconds(text: &str) -> i64 {
    let Ok(time) = text.parse::<Timestamp>() else {
        return i64::MIN;
    };
    let nanoseconds = time.as_nanosecond();
    nanoseconds.clamp(i128::from(i64::MIN) + 1, i128::from(i64::MAX)) as i64
}

/// Returns the ranges of two or more neighbours that `same` considers equal.
fn runs<T>(items: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<Range<usize>> {
    let mut start = 0;
    let runs = items.chunk_by(same).map(|run| {
        let range = start..start + run.len();
        start = range.end;
        range
    });
    runs.filter(|range| range.len() > 1).collect()
}

fn keep_one_per_key(
    found: &mut Vec<LocatedRecord>,
    sources: &mut Sources,
    rule: &MergeRule,
) -> Result<(), FileError> {
    found.sort_unstable_by_key(|record| (record.digest, record.source, record.offset));
    let mut scan = KeyScan::new(&rule.key, None);
    let mut kept = 0;
    let mut start = 0;
    while start < found.len() {
        let digest = found[start].digest;
        let same = found[start..].partition_point(|record| record.digest == digest);
        let group = start..start + same;
        start = group.end;
        if same == 1 {
            found[kept] = found[group.start];
            kept += 1;
            continue;
        }
        for record in winners(&found[group], sources, &mut scan)? {
            found[kept] = record;
            kept += 1;
        }
    }
    found.truncate(kept);
    Ok(())
}

/// Returns the record to keep of each key, given records with one digest, sorted by source and offset.
fn winners(
    group: &[LocatedRecord],
    sources: &mut Sources,
    scan: &mut KeyScan<'_>,
) -> Result<Vec<LocatedRecord>, FileError> {
    let mut last: BTreeMap<Key, Vec<LocatedRecord>> = BTreeMap::new();
    for record in group {
        let of_key = last.entry(sources.key(record, scan)?).or_default();
        of_key.pop_if(|previous| previous.source == record.source);
        of_key.push(*record);
    }
    let mut winners = Vec::new();
    for of_key in last.into_values() {
        let mut candidates = of_key.into_iter();
        let Some(mut winner) = candidates.next() else {
            continue;
        };
        for record in candidates {
            if is_later(&record, &winner, sources)? {
                winner = record;
            }
        }
        winners.push(winner);
    }
    Ok(winners)
}

fn is_later(
    one: &LocatedRecord,
    other: &LocatedRecord,
    sources: &mut Sources,
) -> Result<bool, FileError> {
    if one.time != other.time {
        return Ok(one.time > other.time);
    }
    let line = sources.line(one)?.to_vec();
    Ok(line.as_slice() > sources.line(other)?)
}

/// Sorts by time, then by digest, then by bytes.
fn sort_for_output(found: &mut [LocatedRecord], sources: &mut Sources) -> Result<(), FileError> {
    let order = |record: &LocatedRecord| (record.time, record.digest);
    found.sort_unstable_by_key(order);
    for range in runs(found, |one, other| order(one) == order(other)) {
        let mut lines = Vec::new();
        for record in &found[range.clone()] {
            lines.push((sources.line(record)?.to_vec(), *record));
        }
        lines.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (place, (_, record)) in found[range].iter_mut().zip(lines) {
            *place = record;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    /// Key, second (0 stands for no time), content.
    type Sample = (u8, u8, u8);

    fn shard() -> impl Strategy<Value = Vec<Sample>> {
        prop::collection::vec((0_u8..8, 0_u8..4, 0_u8..3), 0..12)
    }

    /// Merges files with these contents, one call per step, and returns the bytes of the result.
    fn merged(steps: &[&[&[u8]]], digest_bits: u32) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let rule = MergeRule {
            key: KeyFields::new(["key"]).with_digest_bits(digest_bits),
            time: "at".to_owned(),
        };
        let into = folder.path().join("into");
        for step in steps {
            let sources: Vec<PathBuf> = (0..step.len())
                .map(|number| folder.path().join(number.to_string()))
                .collect();
            for (path, bytes) in sources.iter().zip(*step) {
                fs::write(path, bytes).unwrap();
            }
            merge_files(&sources, &into, &rule).unwrap();
        }
        fs::read(into).unwrap()
    }

    fn bytes(shard: &[Sample]) -> Vec<u8> {
        let line = |(key, second, content): &Sample| match second {
            0 => format!("{{\"key\":{key},\"text\":{content}}}\n"),
            _ => format!(
                "{{\"key\":{key},\"at\":\"2026-11-15T10:43:0{second}Z\",\"text\":{content}}}\n"
            ),
        };
        shard.iter().map(line).collect::<String>().into_bytes()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

        #[test]
        fn merging_is_associative_commutative_and_idempotent(
            shards in [shard(), shard(), shard()],
            digest_bits in prop_oneof![Just(1_u32), Just(3), Just(64)],
        ) {
            let [a, b, c] = shards.each_ref().map(|shard| bytes(shard));
            let [a, b, c] = [&a[..], &b, &c];
            let merged = |steps: &[&[&[u8]]]| merged(steps, digest_bits);
            let all = merged(&[&[a, b, c]]);
            prop_assert_eq!(&merged(&[&[c, a, b]]), &all);
            prop_assert_eq!(&merged(&[&[b], &[c], &[a]]), &all);
            prop_assert_eq!(&merged(&[&[&merged(&[&[a, b]]), c]]), &all);
            prop_assert_eq!(&merged(&[&[a, &merged(&[&[c, b]])]]), &all);
            prop_assert_eq!(&merged(&[&[a, b, c], &[a, b, c], &[]]), &all);
            prop_assert_eq!(&merged(&[&[&all, &all, b]]), &all);
        }

        #[test]
        fn each_key_is_kept_once_with_its_latest_record(shards in [shard(), shard()]) {
            let [a, b] = shards.each_ref().map(|shard| bytes(shard));
            let text = String::from_utf8(merged(&[&[&a, &b]], 64)).unwrap();
            let mut kept: Vec<&str> = text.lines().collect();
            kept.sort_unstable();
            let last = |shard: &[Sample], key| {
                shard.iter().rev().find(|(other, ..)| *other == key).copied()
            };
            let winners = (0..8).filter_map(|key| {
                let candidates = shards.iter().filter_map(|shard| last(shard, key));
                candidates.max_by_key(|(_, second, content)| (*second, *content))
            });
            let expected = bytes(&winners.collect::<Vec<_>>());
            let expected = String::from_utf8(expected).unwrap();
            let mut expected: Vec<&str> = expected.lines().collect();
            expected.sort_unstable();
            prop_assert_eq!(kept, expected);
        }
    }
}
