//! A stream of bytes, cut into chunks of whole lines.

use std::io::{self, Read};

use thiserror::Error;

/// Size of a chunk, if lines allow it: small enough to stay in a core's cache until it has been
/// checked.
const CHUNK: usize = 256 << 10;
/// The longest line that is read.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// A reader that cuts its input at line ends.
pub(super) struct Chunks {
    input: Box<dyn Read + Send>,
    /// The beginning of a line whose end was not read yet.
    carried: Vec<u8>,
    next_line: u64,
    next_index: u64,
    ended: bool,
}

/// The place of a chunk in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkPlace {
    /// Its number, from 0.
    pub(super) index: u64,
    /// The number of its first line, from 1.
    pub(super) first_line: u64,
}

/// The reason why no more lines can be read.
#[derive(Debug, Error)]
pub(super) enum ChunkError {
    #[error("the file cannot be read")]
    Io(#[source] io::Error),
    /// The line with this number does not end.
    #[error("line {0} is longer than 64 MiB")]
    LineTooLong(u64),
}

/// Memory for one chunk, reused without being cleared.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    end: usize,
}

impl Buffer {
    /// Returns the chunk.
    pub(super) fn lines(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    fn start_with(&mut self, carried: &[u8]) {
        // A buffer that held a huge line does not stay that large.
        if self.bytes.len() > CHUNK * 16 {
            self.bytes = Vec::new();
        }
        let wanted = carried.len() + CHUNK;
        if self.bytes.len() < wanted {
            self.bytes.resize(wanted, 0);
        }
        self.bytes[..carried.len()].copy_from_slice(carried);
        (self.start, self.end) = (0, carried.len());
    }

    /// Reads until there is no more room; returns `false` at the end of the input.
    fn fill(&mut self, input: &mut dyn Read) -> io::Result<bool> {
        while self.end < self.bytes.len() {
            match input.read(&mut self.bytes[self.end..]) {
                Ok(0) => return Ok(false),
                Ok(read) => self.end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn double(&mut self) {
        let longer = self.bytes.len() * 2;
        self.bytes.resize(longer, 0);
    }
}

impl Chunks {
    pub(super) fn new(input: Box<dyn Read + Send>) -> Chunks {
        Chunks {
            input,
            carried: Vec::new(),
            next_line: 1,
            next_index: 0,
            ended: false,
        }
    }

    /// Fills `buffer` with the next whole lines; returns `None` at the end. An error has a place, too.
    pub(super) fn next(
        &mut self,
        buffer: &mut Buffer,
    ) -> Option<(ChunkPlace, Result<(), ChunkError>)> {
        if self.ended {
            return None;
        }
        let place = ChunkPlace {
            index: self.next_index,
            first_line: self.next_line,
        };
        self.next_index += 1;
        buffer.start_with(&self.carried);
        self.carried.clear();
        match self.fill(buffer) {
            Ok(()) if buffer.lines().is_empty() => None,
            Ok(()) => {
                if place.index == 0 && buffer.lines().starts_with(b"\xef\xbb\xbf") {
                    buffer.start = 3;
                }
                self.next_line += memchr::memchr_iter(b'\n', buffer.lines()).count() as u64;
                Some((place, Ok(())))
            }
            Err(error) => {
                self.ended = true;
                Some((place, Err(error)))
            }
        }
    }

    fn fill(&mut self, buffer: &mut Buffer) -> Result<(), ChunkError> {
        loop {
            if !buffer.fill(&mut self.input).map_err(ChunkError::Io)? {
                self.ended = true;
                return Ok(());
            }
            if let Some(last) = memchr::memrchr(b'\n', buffer.lines()) {
                self.carried.extend_from_slice(&buffer.lines()[last + 1..]);
                buffer.end = last + 1;
                return Ok(());
            }
            if buffer.end > LONGEST_LINE {
                return Err(ChunkError::LineTooLong(self.next_line));
            }
            buffer.double();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_once_and_lines_are_whole() {
        let line_lengths = [0, 1, 700_000, 3, 2_000_000, 10, 524_287, 524_288];
        let text: Vec<u8> = line_lengths
            .iter()
            .flat_map(|length| {
                let mut line = vec![b'x'; *length];
                line.push(b'\n');
                line
            })
            .chain(*b"end")
            .collect();
        let mut chunks = Chunks::new(Box::new(io::Cursor::new(text.clone())));
        let mut read = Vec::new();
        let mut buffer = Buffer::default();
        while let Some((place, result)) = chunks.next(&mut buffer) {
            result.unwrap();
            let lines_before = read.iter().filter(|byte| **byte == b'\n').count() as u64;
            assert_eq!(place.first_line, lines_before + 1);
            read.extend_from_slice(buffer.lines());
            assert!(read.ends_with(b"\n") || read == text);
        }
        assert_eq!(read, text);
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut chunks = Chunks::new(Box::new(io::repeat(b'x')));
        let mut buffer = Buffer::default();
        let (_, result) = chunks.next(&mut buffer).unwrap();
        assert!(matches!(result, Err(ChunkError::LineTooLong(1))));
        assert!(buffer.bytes.len() < LONGEST_LINE * 3);
        assert!(chunks.next(&mut buffer).is_none());
    }
}
