//! Records that are read by their place.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::disk::FileError;
use crate::fold::line_bytes;
use crate::lines::{LineReader, MAX_LINE};
use crate::read::{open_if_there, parse_record};

/// What is read at once: places that are asked for are often near each other.
const CHUNK: usize = 1 << 14;

/// The records of a file, read by the place that a [`Reader`](crate::Reader) gave for them.
///
/// ```
/// use agentv_journal::{Line, Places, Reader};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("results.jsonl");
/// std::fs::write(&path, "[1]\n[2]\n[3]\n")?;
/// let mut places = Places::open(&path)?;
/// assert_eq!(places.get::<[u8; 1]>(4)?, [2]);
/// assert_eq!(places.get::<[u8; 1]>(0)?, [1]);
/// assert!(places.get::<[u8; 1]>(12).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Places {
    path: PathBuf,
    lines: LineReader,
}

impl Places {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> Result<Places, FileError> {
        Ok(Places {
            path: path.to_owned(),
            lines: LineReader::new(open_if_there(path)?, CHUNK, MAX_LINE),
        })
    }

    /// The record that begins at `offset`.
    ///
    /// # Errors
    /// When the file cannot be read, or there is no `T` at that place.
    pub fn get<T: DeserializeOwned>(&mut self, offset: u64) -> Result<T, FileError> {
        let record = line_bytes(&mut self.lines, offset).and_then(|line| {
            parse_record(line, |text| serde_json::from_str(text)).map_err(|reason| {
                let told = format!("the record at byte {offset}: {reason}");
                std::io::Error::new(std::io::ErrorKind::InvalidData, told)
            })
        });
        record.map_err(FileError::of("read", &self.path))
    }
}
