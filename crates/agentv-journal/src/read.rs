//! Reading the records of a file in order.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::file_error::FileError;
use crate::lines::{Ending, LineReader, MAX_LINE, RawLine, STREAM_CHUNK};
use crate::open::open_to_read;

/// The number of bytes that are kept of the start and of the end of a long reason.
const KEPT: usize = 200;

/// The content of a line of a record file.
#[derive(Debug, Clone, PartialEq)]
pub enum Line<T> {
    /// A record.
    Record(Record<T>),
    /// Anything else, which is skipped.
    Damaged(Damage),
}

/// A record and its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<T> {
    /// The offset of its first byte.
    pub offset: u64,
    /// The record itself.
    pub value: T,
}

/// A line that is not a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Its number, from 1.
    pub line: u64,
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length in bytes, without the newline.
    pub length: u64,
    /// The problem with it.
    pub reason: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} is damaged and was skipped: {}",
            self.line, self.reason
        )
    }
}

/// An iterator over the records of a file, in file order, with one line in memory.
///
/// The file may be growing: `None` means that there is no further complete record yet, and a later
/// call continues from there. Blank lines are ignored.
///
/// ```
/// use agentv_journal::{Line, Reader};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("results.jsonl");
/// std::fs::write(&path, "[1]\n[2\n[3]\n[4")?;
/// let (mut records, mut damaged) = (Vec::new(), Vec::new());
/// for line in Reader::<[u8; 1]>::open(&path)? {
///     match line? {
///         Line::Record(record) => records.push(record.value),
///         Line::Damaged(damage) => damaged.push(damage.line),
///     }
/// }
/// assert_eq!((records, damaged), (vec![[1], [3]], vec![2]));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reader<T> {
    path: PathBuf,
    lines: LineReader,
    number: u64,
    record: PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned> Reader<T> {
    /// Opens the file at `path`. A missing file has no records.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn open(path: &Path) -> Result<Reader<T>, FileError> {
        Reader::with_limit(path, MAX_LINE)
    }

    /// Opens the file at `path`. A line of more than `longest` bytes, newline included, counts as
    /// damaged and is not held in memory.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn with_limit(path: &Path, longest: u64) -> Result<Reader<T>, FileError> {
        Ok(Reader {
            path: path.to_owned(),
            lines: LineReader::new(open_if_exists(path)?, STREAM_CHUNK, longest),
            number: 0,
            record: PhantomData,
        })
    }

    /// Opens the file at `path`, whose end is as `ending` says.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn with_ending(path: &Path, ending: Ending) -> Result<Reader<T>, FileError> {
        let reader = Reader::open(path)?;
        Ok(Reader {
            lines: reader.lines.ending(ending),
            ..reader
        })
    }

    fn next_line(&mut self) -> io::Result<Option<Line<T>>> {
        loop {
            let offset = self.lines.offset();
            let Some(raw) = self.lines.next_line()? else {
                return Ok(None);
            };
            self.number += 1;
            if let Some(line) =
                parse_line(&raw, self.number, offset, |text| serde_json::from_str(text))
            {
                return Ok(Some(line));
            }
        }
    }
}

impl<T: DeserializeOwned> Iterator for Reader<T> {
    type Item = Result<Line<T>, FileError>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_line();
        line.map_err(FileError::of("read", &self.path)).transpose()
    }
}

/// Opens a file, or returns `None` if it does not exist.
pub(crate) fn open_if_exists(path: &Path) -> Result<Option<File>, FileError> {
    match open_to_read(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::of("read", path)(error)),
    }
}

/// Parses a line; returns `None` for a blank one.
pub(crate) fn parse_line<T>(
    raw: &RawLine<'_>,
    number: u64,
    offset: u64,
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Option<Line<T>> {
    let (length, parsed) = match raw {
        RawLine::TooLong(length) => (*length, Err(RecordError::TooLong { length: *length })),
        RawLine::Bytes(bytes) if bytes.trim_ascii().is_empty() => return None,
        RawLine::Bytes(bytes) => (bytes.len() as u64, parse_record(bytes, parse)),
    };
    Some(match parsed {
        Ok(value) => Line::Record(Record { offset, value }),
        Err(error) => Line::Damaged(Damage {
            line: number,
            offset,
            length,
            reason: error.to_string(),
        }),
    })
}

/// Parses the record in the bytes of a line.
pub(crate) fn parse_record<T>(
    bytes: &[u8],
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<T, RecordError> {
    let text = std::str::from_utf8(bytes).map_err(|error| RecordError::NotUtf8 {
        byte: error.valid_up_to() + 1,
    })?;
    parse(text).map_err(|error| match text.find('\0') {
        Some(at) => RecordError::Nul { byte: at + 1 },
        None => RecordError::Json(error),
    })
}

/// The reason why a line is not a record.
#[derive(Debug, Error)]
pub(crate) enum RecordError {
    #[error("it is too long ({length} bytes)")]
    TooLong { length: u64 },
    #[error("byte {byte} is not UTF-8")]
    NotUtf8 { byte: usize },
    #[error("byte {byte} is NUL")]
    Nul { byte: usize },
    #[error("{}", cut(.0.to_string()).replace(" at line 1 column ", " at column "))]
    Json(serde_json::Error),
}

impl RecordError {
    /// Returns the error of a file in which a record at `offset` is no longer one.
    pub(crate) fn at(self, offset: u64) -> io::Error {
        let reason = format!("the record at byte {offset}: {self}");
        io::Error::new(ErrorKind::InvalidData, reason)
    }
}

/// Shortens a long reason in its middle, which may quote the record; its end names the position.
fn cut(reason: String) -> String {
    if reason.len() <= 2 * KEPT {
        return reason;
    }
    let start = &reason[..reason.floor_char_boundary(KEPT)];
    let end = &reason[reason.ceil_char_boundary(reason.len() - KEPT)..];
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, longest: u64, ending: Ending) -> (Vec<u8>, Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        std::fs::write(&path, text).unwrap();
        let mut reader = Reader::<[u8; 1]>::with_limit(&path, longest).unwrap();
        reader.lines = reader.lines.ending(ending);
        let (mut records, mut damaged) = (Vec::new(), Vec::new());
        for line in &mut reader {
            match line.unwrap() {
                Line::Record(record) => records.push(record.value[0]),
                Line::Damaged(damage) => damaged.push(damage.length),
            }
        }
        assert!(reader.next().is_none(), "nothing comes twice");
        (records, damaged)
    }

    #[test]
    fn the_last_line_of_a_finished_file_needs_no_newline() {
        let both = |text| [Ending::Growing, Ending::Finished].map(|end| lines(text, 100, end));
        assert_eq!(both("[1]\n[2]"), [(vec![1], vec![]), (vec![1, 2], vec![])]);
        assert_eq!(both("[1]\n[2"), [(vec![1], vec![]), (vec![1], vec![2])]);
        assert_eq!(both("[1]\n  "), [(vec![1], vec![]), (vec![1], vec![])]);
        assert_eq!(both("[1]"), [(vec![], vec![]), (vec![1], vec![])]);
    }

    #[test]
    fn a_reason_is_short_however_long_the_record() {
        let text = format!("\"{}\"", "ä".repeat(10_000));
        let reason = parse_record::<u64>(text.as_bytes(), |text| serde_json::from_str(text));
        let reason = reason.unwrap_err().to_string();
        assert!(reason.starts_with("invalid type: string \"ää"), "{reason}");
        assert!(
            reason.ends_with("ä\", expected u64 at column 20002"),
            "{reason}"
        );
        assert!(reason.len() < 500, "{reason}");
    }

    #[test]
    fn a_last_line_that_is_too_long_is_damaged() {
        let text = format!("[1]\n{}", "x".repeat(1 << 19));
        assert_eq!(
            lines(&text, 1 << 10, Ending::Finished),
            (vec![1], vec![1 << 19])
        );
        assert_eq!(lines(&text, 1 << 10, Ending::Growing), (vec![1], vec![]));
    }
}
