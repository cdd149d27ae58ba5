//! The last record of each key, in 16 bytes per record.

use std::collections::HashSet;
use std::io;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::file_error::FileError;
use crate::key::{Key, KeyFields, KeyScan};
use crate::lines::{Ending, LineReader, MAX_LINE, RawLine, SEEK_CHUNK, STREAM_CHUNK};
use crate::read::{Damage, Line, Record, open_if_exists, parse_line, parse_record};

/// The number of damaged lines that are described; further ones are only counted.
const DESCRIBED: usize = 100;

/// The records of a file that count: the last one of each key.
///
/// Holds a digest and an offset for each, and reads the file if that is not enough: two keys with the
/// same digest are distinguished.
#[derive(Debug)]
pub struct Latest {
    path: PathBuf,
    fields: KeyFields,
    lines: LineReader,
    /// Sorted by digest, then by offset.
    places: Arc<Vec<RecordPosition>>,
    superseded: usize,
    damaged: Damaged,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RecordPosition {
    digest: u64,
    offset: u64,
}

/// The lines that are not records with a key.
#[derive(Debug, Clone, Default)]
pub(crate) struct Damaged {
    pub(crate) first: Vec<Damage>,
    pub(crate) count: u64,
}

impl Damaged {
    pub(crate) fn add(&mut self, damage: Damage) {
        self.count += 1;
        if self.first.len() < DESCRIBED {
            self.first.push(damage);
        }
    }
}

/// Finds the last record of each key among the complete records that the file has now. A missing file
/// has none.
///
/// # Errors
/// Fails if the file cannot be read.
///
/// ```
/// use agentv_journal::{Key, KeyFields, latest_by_key};
/// use serde_json::Value;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("results.jsonl");
/// std::fs::write(&path, r#"{"key": "a", "try": 1}
/// {"key": "b", "try": 1}
/// {"key": "a", "try": 2}
/// "#)?;
/// let mut latest = latest_by_key(&path, &KeyFields::new(["key"]))?;
/// assert!(latest.contains(&Key::from("b"))?);
/// assert!(!latest.contains(&Key::from("c"))?);
/// assert_eq!(latest.offsets(), [23, 46]);
/// # Ok(())
/// # }
/// ```
pub fn latest_by_key(path: &Path, fields: &KeyFields) -> Result<Latest, FileError> {
    latest_by_key_until(path, fields, Ending::Growing)
}

/// Finds the last record of each key in a file whose end is as `ending` says.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn latest_by_key_until(
    path: &Path,
    fields: &KeyFields,
    ending: Ending,
) -> Result<Latest, FileError> {
    let lines = LineReader::new(open_if_exists(path)?, STREAM_CHUNK, MAX_LINE).ending(ending);
    Latest::read(path, fields, lines).map_err(FileError::of("read", path))
}

impl Latest {
    fn read(path: &Path, fields: &KeyFields, mut lines: LineReader) -> io::Result<Latest> {
        let mut places = Vec::new();
        let mut scan = KeyScan::new(fields, None);
        let damaged = scan_lines(&mut lines, &mut scan, |scan, offset| {
            let digest = scan.digest();
            places.push(RecordPosition { digest, offset });
        })?;
        lines.set_chunk(SEEK_CHUNK);
        let records = places.len();
        keep_latest(&mut places, &mut lines, &mut scan)?;
        Ok(Latest {
            path: path.to_owned(),
            fields: fields.clone(),
            lines,
            superseded: records - places.len(),
            places: Arc::new(places),
            damaged,
        })
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Checks if no record was found.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the number of records that a later record with the same key replaces.
    pub fn superseded(&self) -> usize {
        self.superseded
    }

    /// Returns the number of lines that are not records with a key.
    pub fn damaged_lines(&self) -> u64 {
        self.damaged.count
    }

    /// Returns descriptions of the first hundred of these lines.
    pub fn damage(&self) -> &[Damage] {
        &self.damaged.first
    }

    /// Returns the offsets of the records, in file order.
    pub fn offsets(&self) -> Vec<u64> {
        let mut offsets: Vec<u64> = self.places.iter().map(|place| place.offset).collect();
        offsets.sort_unstable();
        offsets
    }

    /// Checks if there is a record with this key.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn contains(&mut self, key: &Key) -> Result<bool, FileError> {
        let found = self.find(key).map_err(FileError::of("read", &self.path))?;
        Ok(found.is_some())
    }

    /// Returns the last record with this key.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or the record is not a `T`.
    pub fn get<T: DeserializeOwned>(&mut self, key: &Key) -> Result<Option<Record<T>>, FileError> {
        let found = self.read_record(key);
        found.map_err(FileError::of("read", &self.path))
    }

    fn read_record<T: DeserializeOwned>(&mut self, key: &Key) -> io::Result<Option<Record<T>>> {
        let Some(offset) = self.find(key)? else {
            return Ok(None);
        };
        let line = line_bytes(&mut self.lines, offset)?;
        let value = parse_record(line, |text| serde_json::from_str(text))
            .map_err(|error| error.at(offset))?;
        Ok(Some(Record { offset, value }))
    }

    /// Opens another reader of the same records, for another thread.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn reopen(&self) -> Result<Latest, FileError> {
        Ok(Latest {
            path: self.path.clone(),
            fields: self.fields.clone(),
            lines: self.lines.reopened(open_if_exists(&self.path)?, SEEK_CHUNK),
            places: Arc::clone(&self.places),
            superseded: self.superseded,
            damaged: self.damaged.clone(),
        })
    }

    /// Returns the text of the last record with this key: a JSON object on one line.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn text(&mut self, key: &Key) -> Result<Option<&str>, FileError> {
        match self.find(key).map_err(FileError::of("read", &self.path))? {
            Some(offset) => self.text_at(offset).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the text of the record at one of the [`offsets`](Latest::offsets).
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn text_at(&mut self, offset: u64) -> Result<&str, FileError> {
        let bytes = line_bytes(&mut self.lines, offset);
        let text = bytes.and_then(|bytes| std::str::from_utf8(bytes).map_err(|_| changed()));
        text.map_err(FileError::of("read", &self.path))
    }

    fn find(&mut self, key: &Key) -> io::Result<Option<u64>> {
        let digest = self.fields.digest(key);
        let first = self.places.partition_point(|place| place.digest < digest);
        let mut scan = KeyScan::new(&self.fields, None);
        for place in &self.places[first..] {
            if place.digest != digest {
                break;
            }
            read_key(&mut self.lines, &mut scan, place.offset)?;
            if scan.key == *key {
                return Ok(Some(place.offset));
            }
        }
        Ok(None)
    }

    /// Reads the records in file order. Lines without a key are in [`Latest::damage`]; here a damaged
    /// line is a record that is not a `T`.
    pub fn records<T: DeserializeOwned>(self) -> LatestRecords<T> {
        let mut places = Arc::unwrap_or_clone(self.places);
        places.sort_unstable_by_key(|place| place.offset);
        let mut lines = self.lines;
        lines.set_chunk(STREAM_CHUNK);
        lines.rewind();
        LatestRecords {
            path: self.path,
            lines,
            places: places.into_iter(),
            number: 0,
            record: PhantomData,
        }
    }
}

/// The last record of each key, in file order.
#[derive(Debug)]
pub struct LatestRecords<T> {
    path: PathBuf,
    lines: LineReader,
    places: std::vec::IntoIter<RecordPosition>,
    number: u64,
    record: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> LatestRecords<T> {
    fn line_of(&mut self, place: RecordPosition) -> io::Result<Option<Line<T>>> {
        loop {
            let offset = self.lines.offset();
            let Some(raw) = self.lines.next_line()? else {
                return Err(changed());
            };
            self.number += 1;
            if offset == place.offset {
                let parse = |text: &str| serde_json::from_str(text);
                return Ok(parse_line(&raw, self.number, offset, parse));
            }
        }
    }
}

impl<T: DeserializeOwned> Iterator for LatestRecords<T> {
    type Item = Result<Line<T>, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let place = self.places.next()?;
        let line = self.line_of(place);
        line.map_err(FileError::of("read", &self.path)).transpose()
    }
}

/// Reads all complete lines, calls `found` with each record's key and offset, and returns the other lines.
pub(crate) fn scan_lines(
    lines: &mut LineReader,
    scan: &mut KeyScan<'_>,
    mut found: impl FnMut(&KeyScan<'_>, u64),
) -> io::Result<Damaged> {
    let mut damaged = Damaged::default();
    let mut number = 0;
    loop {
        let offset = lines.offset();
        let Some(raw) = lines.next_line()? else {
            return Ok(damaged);
        };
        number += 1;
        match parse_line(&raw, number, offset, |text| scan.read(text)) {
            Some(Line::Record(_)) => found(scan, offset),
            Some(Line::Damaged(damage)) => damaged.add(damage),
            None => {}
        }
    }
}

/// Keeps only the last place of each key.
fn keep_latest(
    places: &mut Vec<RecordPosition>,
    lines: &mut LineReader,
    scan: &mut KeyScan<'_>,
) -> io::Result<()> {
    places.sort_unstable();
    let mut kept = 0;
    let mut start = 0;
    while start < places.len() {
        let digest = places[start].digest;
        let same = places[start..].partition_point(|place| place.digest == digest);
        let group = start..start + same;
        start = group.end;
        if same == 1 {
            places[kept] = places[group.start];
            kept += 1;
            continue;
        }
        // Backwards, so that the first record found of a key is its last.
        let mut seen = HashSet::new();
        let mut latest = Vec::new();
        for at in group.rev() {
            read_key(lines, scan, places[at].offset)?;
            if !seen.contains(&scan.key) {
                seen.insert(scan.key.clone());
                latest.push(places[at]);
            }
        }
        for place in latest.into_iter().rev() {
            places[kept] = place;
            kept += 1;
        }
    }
    places.truncate(kept);
    places.shrink_to_fit();
    Ok(())
}

/// Reads the key of the record at `offset`.
pub(crate) fn read_key(
    lines: &mut LineReader,
    scan: &mut KeyScan<'_>,
    offset: u64,
) -> io::Result<()> {
    let line = line_bytes(lines, offset)?;
    parse_record(line, |text| scan.read(text)).map_err(|_| changed())
}

/// Returns the line at `offset`, which must still be a record.
pub(crate) fn line_bytes(lines: &mut LineReader, offset: u64) -> io::Result<&[u8]> {
    match lines.line_at(offset)? {
        Some(RawLine::Bytes(bytes)) => Ok(bytes),
        Some(RawLine::TooLong(_)) | None => Err(changed()),
    }
}

fn changed() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "it changed while it was being read",
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

        #[test]
        fn keys_whose_digests_collide_are_distinguished(
            keys in prop::collection::vec(0_u8..20, 0..60),
            digest_bits in 1_u32..6,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("records");
            let records = keys.iter().enumerate().map(|(at, key)| json!({"key": key, "at": at}));
            let lines: Vec<String> = records.map(|record| format!("{record}\n")).collect();
            fs::write(&path, lines.concat()).unwrap();
            let last: BTreeMap<u8, usize> =
                keys.iter().enumerate().map(|(at, key)| (*key, at)).collect();

            let fields = KeyFields::new(["key"]).with_digest_bits(digest_bits);
            let mut latest = latest_by_key(&path, &fields).unwrap();
            prop_assert_eq!(latest.superseded(), keys.len() - last.len());
            for key in 0..25_u8 {
                let found = latest.get::<Value>(&Key::of([i32::from(key).into()])).unwrap();
                let at = found.map(|record| record.value["at"].as_u64().unwrap() as usize);
                prop_assert_eq!(at, last.get(&key).copied());
            }
            let mut expected: Vec<usize> = last.into_values().collect();
            expected.sort_unstable();
            let streamed: Vec<usize> = latest
                .records::<Value>()
                .map(|line| match line.unwrap() {
                    Line::Record(record) => record.value["at"].as_u64().unwrap() as usize,
                    Line::Damaged(damage) => panic!("{damage}"),
                })
                .collect();
            prop_assert_eq!(streamed, expected);
        }
    }
}
