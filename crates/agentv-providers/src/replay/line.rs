//! Lines of a file, read in order or at an offset.

use std::fs::File;
use std::io::{self, BufRead, Read};

/// The most bytes that a line may have.
pub(super) const LONGEST: u64 = 64 << 20;

/// Reads the next line, without its end, into `line`. Returns the number of bytes read, which is 0 at
/// the end of the file.
///
/// # Errors
/// If the file cannot be read, or the line is longer than [`LONGEST`].
pub(super) fn next(file: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    let taken = file.by_ref().take(LONGEST + 1).read_until(b'\n', line)?;
    if taken as u64 > LONGEST {
        return Err(too_long());
    }
    trim(line);
    Ok(taken)
}

/// Reads the line that begins at `offset`. Several threads may read at the same time.
///
/// # Errors
/// If the file cannot be read, or the line is longer than [`LONGEST`].
pub(super) fn at(file: &File, offset: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let mut wanted = 16 << 10;
    loop {
        let held = line.len();
        line.resize(held + wanted, 0);
        let read = read_at(file, &mut line[held..], offset + held as u64)?;
        line.truncate(held + read);
        let end = line[held..].iter().position(|byte| *byte == b'\n');
        if let Some(end) = end {
            line.truncate(held + end);
            trim(&mut line);
            return Ok(line);
        }
        if read == 0 {
            return Ok(line);
        }
        if line.len() as u64 > LONGEST {
            return Err(too_long());
        }
        wanted = (wanted * 2).min(4 << 20);
    }
}

fn trim(line: &mut Vec<u8>) {
    while line
        .last()
        .is_some_and(|byte| matches!(byte, b'\n' | b'\r'))
    {
        line.pop();
    }
}

fn too_long() -> io::Error {
    io::Error::other(format!("a line is longer than {} MiB", LONGEST >> 20))
}

#[cfg(unix)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buffer, offset)
}

#[cfg(windows)]
fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buffer, offset)
}
