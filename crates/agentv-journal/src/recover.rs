//! Cutting off the bytes that a crash left after the last complete record.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use memchr::memrchr;
use serde::de::IgnoredAny;

use crate::fault;
use crate::lines::MAX_LINE;
use crate::read::parse_record;

/// The result of opening a file for appending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recovery {
    /// The length in bytes up to the end of the last complete record.
    pub kept: u64,
    /// The number of bytes after it that were cut off; 0 after a clean end.
    pub cut: u64,
}

const SMALLEST_STEP: u64 = 1 << 12;
const LARGEST_STEP: u64 = 1 << 20;

/// Cuts off the file after its last complete record: a line that ends in a newline and is JSON.
///
/// Reads only the end of the file, whatever its size.
pub(crate) fn recover(file: &mut File) -> io::Result<Recovery> {
    let length = file.metadata()?.len();
    let mut kept = line_start(file, length)?;
    while kept > 0 {
        let start = line_start(file, kept - 1)?;
        if is_record(file, start, kept - 1)? {
            break;
        }
        kept = start;
    }
    if kept < length {
        fault::step();
        file.set_len(kept)?;
        fault::step();
        file.sync_data()?;
    }
    Ok(Recovery {
        kept,
        cut: length - kept,
    })
}

/// Returns the start of the line that contains the byte before `end`.
fn line_start(file: &mut File, mut end: u64) -> io::Result<u64> {
    let mut step = SMALLEST_STEP;
    let mut buffer = Vec::new();
    while end > 0 {
        let start = end.saturating_sub(step);
        read_range(file, start, end, &mut buffer)?;
        if let Some(at) = memrchr(b'\n', &buffer) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
        step = (step * 2).min(LARGEST_STEP);
    }
    Ok(0)
}

fn is_record(file: &mut File, start: u64, end: u64) -> io::Result<bool> {
    // Readers report a line that is too long for a record; that is no reason to remove it.
    if end - start >= MAX_LINE {
        return Ok(true);
    }
    let mut line = Vec::new();
    read_range(file, start, end, &mut line)?;
    let parsed = parse_record(&line, |text| serde_json::from_str::<IgnoredAny>(text));
    Ok(parsed.is_ok())
}

fn read_range(file: &mut File, start: u64, end: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    buffer.resize((end - start) as usize, 0);
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(buffer)
}
