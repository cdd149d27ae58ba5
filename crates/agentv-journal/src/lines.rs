//! The whole lines of a file that may be growing, one in memory at a time.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use memchr::memchr;

/// The bytes that a line may have, newline included, where nothing else was asked for.
pub const MAX_LINE: u64 = 1 << 30;

/// The size of a read when lines are read in order.
pub(crate) const STREAM_CHUNK: usize = 1 << 18;
/// The size of a read when lines are read at known offsets.
pub(crate) const SEEK_CHUNK: usize = 1 << 12;

/// A buffer that a long line may leave behind.
const KEPT_BUFFER: usize = 1 << 20;

/// Whether a file may still be written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Bytes after the last newline are no line yet.
    Growing,
    /// Bytes after the last newline are the last line.
    Finished,
}

/// Reads a file by lines.
#[derive(Debug)]
pub(crate) struct LineReader {
    /// `None` is an empty file.
    file: Option<File>,
    /// What is read at once at least.
    chunk: usize,
    longest: u64,
    ending: Ending,
    buffer: Vec<u8>,
    /// What of the buffer is read from the file and not yet given out.
    start: usize,
    end: usize,
    /// The place in the file of `buffer[start]`.
    offset: u64,
    /// The place in the file that the next read reads, where it is not the end of the buffer.
    seek: bool,
}

/// A line without its newline.
#[derive(Debug)]
pub(crate) enum RawLine<'a> {
    Bytes(&'a [u8]),
    /// The length of a line that is longer than allowed.
    TooLong(u64),
}

impl LineReader {
    pub(crate) fn new(file: Option<File>, chunk: usize, longest: u64) -> LineReader {
        LineReader {
            file,
            chunk,
            longest,
            ending: Ending::Growing,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            seek: true,
        }
    }

    /// Reads a file that ends as this says.
    pub(crate) fn ending(mut self, ending: Ending) -> LineReader {
        self.ending = ending;
        self
    }

    /// A reader of the same file, opened again, from its first line on.
    pub(crate) fn reopened(&self, file: Option<File>, chunk: usize) -> LineReader {
        LineReader::new(file, chunk, self.longest).ending(self.ending)
    }

    /// Reads in pieces of this size from now on.
    pub(crate) fn set_chunk(&mut self, chunk: usize) {
        self.forget();
        self.buffer = Vec::new();
        self.chunk = chunk;
    }

    /// Goes back to the first line.
    pub(crate) fn rewind(&mut self) {
        self.forget();
        self.offset = 0;
    }

    /// Where the next line begins.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next whole line; `None` when there is none so far.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let mut scanned = 0;
        loop {
            let unread = &self.buffer[self.start..self.end];
            if let Some(at) = memchr(b'\n', &unread[scanned..]) {
                let line = self.start..self.start + scanned + at;
                self.start = line.end + 1;
                self.offset += line.len() as u64 + 1;
                if line.len() as u64 >= self.longest {
                    return Ok(Some(RawLine::TooLong(line.len() as u64)));
                }
                return Ok(Some(RawLine::Bytes(&self.buffer[line])));
            }
            scanned = unread.len();
            if scanned as u64 >= self.longest {
                return self.skip_line();
            }
            if self.fill()? == 0 {
                return Ok(self.rest());
            }
        }
    }

    /// What follows the last newline, where that is a line.
    fn rest(&mut self) -> Option<RawLine<'_>> {
        let line = self.start..self.end;
        if self.ending == Ending::Growing || line.is_empty() {
            self.forget();
            return None;
        }
        self.start = line.end;
        self.offset += line.len() as u64;
        Some(RawLine::Bytes(&self.buffer[line]))
    }

    /// The line that begins at `offset`, which must be the beginning of one.
    pub(crate) fn line_at(&mut self, offset: u64) -> io::Result<Option<RawLine<'_>>> {
        let buffered =
            self.offset - self.start as u64..=self.offset + (self.end - self.start) as u64;
        if buffered.contains(&offset) {
            self.start = (offset - buffered.start()) as usize;
        } else {
            self.forget();
        }
        self.offset = offset;
        self.next_line()
    }

    /// Passes over a line too long to hold.
    fn skip_line(&mut self) -> io::Result<Option<RawLine<'_>>> {
        let begin = self.offset;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.start += at + 1;
                self.offset += at as u64 + 1;
                return Ok(Some(RawLine::TooLong(self.offset - 1 - begin)));
            }
            self.offset += (self.end - self.start) as u64;
            self.start = self.end;
            if self.fill()? == 0 {
                self.forget();
                if self.ending == Ending::Finished {
                    return Ok(Some(RawLine::TooLong(self.offset - begin)));
                }
                self.offset = begin;
                return Ok(None);
            }
        }
    }

    /// Drops what is buffered: the file may have other bytes there when it is read again.
    fn forget(&mut self) {
        self.start = 0;
        self.end = 0;
        self.seek = true;
    }

    /// Reads more behind what is buffered; says how much.
    fn fill(&mut self) -> io::Result<usize> {
        let Some(file) = &mut self.file else {
            return Ok(0);
        };
        let held = self.end - self.start;
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, held);
        if self.seek {
            file.seek(SeekFrom::Start(self.offset + held as u64))?;
            self.seek = false;
        }
        // As much again as is held: a long line takes few reads, a short one little memory.
        let wanted = held + held.max(self.chunk);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        } else if self.buffer.len() > KEPT_BUFFER.max(wanted) {
            self.buffer.truncate(KEPT_BUFFER.max(wanted));
            self.buffer.shrink_to_fit();
        }
        loop {
            match file.read(&mut self.buffer[held..wanted]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
