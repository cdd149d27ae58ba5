//! The state of a run's files that an index was built from.

use std::fs::File;
use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::pieces::read_part;
use crate::platform::file_number;

/// The number of bytes at the end of a file that are part of its stamp.
const TAIL: u64 = 4096;

/// The state of a file: if it is the same, so is the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileStamp {
    /// The number of bytes that were read: all complete lines.
    pub(crate) read: u64,
    length: u64,
    /// The time since 1970, in nanoseconds.
    modified: u64,
    number: u64,
    /// A digest of the bytes before `read`.
    tail: String,
}

impl FileStamp {
    /// Returns the stamp of a file that was read up to some offset. A missing file has an empty one.
    pub(crate) fn of(file: Option<&File>, read: u64) -> io::Result<FileStamp> {
        let Some(file) = file else {
            return Ok(FileStamp::default());
        };
        let found = file.metadata()?;
        Ok(FileStamp {
            read,
            length: found.len(),
            modified: found
                .modified()?
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_nanos().try_into().unwrap_or(u64::MAX)),
            number: file_number(&found),
            tail: tail(file, read)?,
        })
    }

    /// Checks if everything that was read before is still in the file, so that only the rest is new.
    pub(crate) fn is_start_of(&self, file: Option<&File>) -> io::Result<bool> {
        let Some(file) = file.filter(|_| self.read > 0) else {
            return Ok(self.read == 0);
        };
        let found = file.metadata()?;
        let is_same_file = file_number(&found) == self.number;
        Ok(is_same_file && found.len() >= self.read && tail(file, self.read)? == self.tail)
    }
}

fn tail(file: &File, end: u64) -> io::Result<String> {
    let start = end.saturating_sub(TAIL);
    let mut bytes = Vec::new();
    read_part(file, start..end, &mut bytes)?;
    // It may have become shorter.
    Ok(if bytes.len() as u64 == end - start {
        blake3::hash(&bytes).to_hex().to_string()
    } else {
        String::new()
    })
}
