//! The complete lines of a file that may be growing, one in memory at a time.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use memchr::memchr;

/// The default for the longest line in bytes, newline included.
pub const MAX_LINE: u64 = 1 << 30;

/// The size of a read when lines are read in order.
pub(crate) const STREAM_CHUNK: usize = 1 << 18;
/// The size of a read when lines are read at known offsets.
pub(crate) const SEEK_CHUNK: usize = 1 << 12;

/// The largest buffer that is kept after a long line.
const KEPT_BUFFER: usize = 1 << 20;

/// The meaning of the bytes after the last newline of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The file may still be written to: these bytes are not a line yet.
    Growing,
    /// The file is finished: these bytes are its last line.
    Finished,
}

/// A reader of the lines of a file.
#[derive(Debug)]
pub(crate) struct LineReader {
    /// `None` stands for an empty file.
    file: Option<File>,
    /// The smallest number of bytes to read at once.
    chunk: usize,
    longest: u64,
    ending: Ending,
    buffer: Vec<u8>,
    /// The start of the part of the buffer that has been read but not returned.
    start: usize,
    end: usize,
    /// The offset of `buffer[start]` in the file.
    offset: u64,
    /// True if the next read must seek first.
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

    /// Sets the meaning of the bytes after the last newline.
    pub(crate) fn ending(mut self, ending: Ending) -> LineReader {
        self.ending = ending;
        self
    }

    /// Returns a reader of the same file, opened again, that starts at its first line.
    pub(crate) fn reopened(&self, file: Option<File>, chunk: usize) -> LineReader {
        LineReader::new(file, chunk, self.longest).ending(self.ending)
    }

    /// Sets the number of bytes to read at once.
    pub(crate) fn set_chunk(&mut self, chunk: usize) {
        self.forget();
        self.buffer = Vec::new();
        self.chunk = chunk;
    }

    /// Returns to the first line.
    pub(crate) fn rewind(&mut self) {
        self.forget();
        self.offset = 0;
    }

    /// Returns the offset of the next line.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next complete line, or `None` if there is none yet.
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

    /// Returns the bytes after the last newline if they are a line.
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

    /// Returns the line at `offset`, which must be the start of a line.
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

    /// Skips a line that is too long.
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

    /// Discards the buffer: the file may have other bytes there when it is read again.
    fn forget(&mut self) {
        self.start = 0;
        self.end = 0;
        self.seek = true;
    }

    /// Reads more bytes into the buffer and returns their number.
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
        // Double the buffer: a long line takes few reads, a short one little memory.
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
