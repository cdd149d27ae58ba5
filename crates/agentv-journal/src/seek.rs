//! Reading records at known offsets.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::file_error::FileError;
use crate::fold::line_bytes;
use crate::lines::{Ending, LineReader, MAX_LINE, SEEK_CHUNK};
use crate::read::{Record, open_if_exists, parse_record};

/// A reader of records at known offsets, in any order, with one record in memory at a time. Adjacent
/// records are read as fast as a stream.
///
/// ```
/// use agentv_journal::RecordsAt;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("results.jsonl");
/// std::fs::write(&path, "[1]\n[2]\n[3]\n")?;
/// let mut records = RecordsAt::open(&path)?;
/// assert_eq!(records.get::<[u8; 1]>(8)?.value, [3]);
/// assert_eq!(records.get::<[u8; 1]>(4)?.value, [2]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct RecordsAt {
    path: PathBuf,
    lines: LineReader,
}

impl RecordsAt {
    /// Opens the file at `path`.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn open(path: &Path) -> Result<RecordsAt, FileError> {
        Ok(RecordsAt {
            path: path.to_owned(),
            lines: LineReader::new(open_if_exists(path)?, SEEK_CHUNK, MAX_LINE),
        })
    }

    /// Opens the file at `path`, whose end is as `ending` says.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn with_ending(path: &Path, ending: Ending) -> Result<RecordsAt, FileError> {
        let records = RecordsAt::open(path)?;
        Ok(RecordsAt {
            lines: records.lines.ending(ending),
            ..records
        })
    }

    /// Reads the record at `offset`, where one was found before.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or there is no longer a `T` at this offset.
    pub fn get<T: DeserializeOwned>(&mut self, offset: u64) -> Result<Record<T>, FileError> {
        let read = line_bytes(&mut self.lines, offset).and_then(|line| {
            parse_record(line, |text| serde_json::from_str(text)).map_err(|error| error.at(offset))
        });
        let value = read.map_err(FileError::of("read", &self.path))?;
        Ok(Record { offset, value })
    }
}
