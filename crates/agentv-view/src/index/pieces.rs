//! A file in pieces of whole lines, which threads read on their own.

use std::fs::File;
use std::io;
use std::ops::Range;

use memchr::memchr;

use crate::platform::read_at;

/// The usual size of a piece.
const PIECE: u64 = 1 << 20;
/// The size of a read when the end of a line is looked for.
const STEP: usize = 64 << 10;
/// The longest line that is read. A longer one is damaged.
pub(crate) const LONGEST_LINE: u64 = 1 << 30;

/// Divides a part of a file into pieces. Each begins at the start of a line; the last may end within one.
pub(crate) fn pieces(file: &File, part: Range<u64>) -> io::Result<Vec<Range<u64>>> {
    let mut pieces = Vec::new();
    let mut start = part.start;
    while start < part.end {
        let end = if part.end - start > PIECE {
            line_end(file, start + PIECE, part.end)?
        } else {
            part.end
        };
        pieces.push(start..end);
        start = end;
    }
    Ok(pieces)
}

/// Returns the offset after the next newline, or `end` if there is none before it.
fn line_end(file: &File, from: u64, end: u64) -> io::Result<u64> {
    let mut buffer = [0; STEP];
    let mut at = from;
    while at < end {
        let wanted = (end - at).min(STEP as u64) as usize;
        let count = read_at(file, &mut buffer[..wanted], at)?;
        if count == 0 {
            break;
        }
        if let Some(newline) = memchr(b'\n', &buffer[..count]) {
            return Ok(at + newline as u64 + 1);
        }
        at += count as u64;
    }
    Ok(end)
}

/// Reads the bytes of a part of a file; fewer if the file has become shorter.
pub(crate) fn read_part(file: &File, part: Range<u64>, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    buffer.resize((part.end - part.start) as usize, 0);
    let mut filled = 0;
    while filled < buffer.len() {
        let count = read_at(file, &mut buffer[filled..], part.start + filled as u64)?;
        if count == 0 {
            break;
        }
        filled += count;
    }
    buffer.truncate(filled);
    Ok(())
}
