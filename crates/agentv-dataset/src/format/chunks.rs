//! A stream of bytes, handed out in pieces of whole lines.

use std::io::{self, Read};

/// Bytes that are handed out at a time, if lines allow it.
const CHUNK: usize = 512 << 10;
/// The longest line that is read.
pub(super) const LONGEST_LINE: usize = 64 << 20;

/// Reads ahead and cuts at line ends.
pub(super) struct Chunks {
    input: Box<dyn Read + Send>,
    /// The beginning of a line whose end was not read yet.
    carried: Vec<u8>,
    next_line: u64,
    next_index: u64,
    ended: bool,
}

/// Where a piece stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Its number, from 0.
    pub(super) index: u64,
    /// The number of its first line, from 1.
    pub(super) first_line: u64,
}

#[derive(Debug)]
pub(super) enum ChunkError {
    Io(io::Error),
    /// The line with this number does not end.
    LineTooLong(u64),
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

    /// Fills `buffer` with the next whole lines; `None` at the end. An error takes a place, too.
    pub(super) fn next(&mut self, buffer: &mut Vec<u8>) -> Option<(Place, Result<(), ChunkError>)> {
        if self.ended {
            return None;
        }
        let place = Place {
            index: self.next_index,
            first_line: self.next_line,
        };
        self.next_index += 1;
        buffer.clear();
        buffer.append(&mut self.carried);
        // A buffer that once held a huge line need not stay that large.
        buffer.shrink_to(CHUNK * 4);
        match self.fill(buffer) {
            Ok(()) if buffer.is_empty() => None,
            Ok(()) => {
                if place.index == 0 && buffer.starts_with(b"\xef\xbb\xbf") {
                    buffer.drain(..3);
                }
                self.next_line += memchr::memchr_iter(b'\n', buffer).count() as u64;
                Some((place, Ok(())))
            }
            Err(error) => {
                self.ended = true;
                Some((place, Err(error)))
            }
        }
    }

    fn fill(&mut self, buffer: &mut Vec<u8>) -> Result<(), ChunkError> {
        let mut wanted = CHUNK;
        loop {
            let missing = wanted.saturating_sub(buffer.len()).max(CHUNK / 2);
            let read = (&mut self.input)
                .take(missing as u64)
                .read_to_end(buffer)
                .map_err(ChunkError::Io)?;
            if read < missing {
                self.ended = true;
                return Ok(());
            }
            if let Some(last) = memchr::memrchr(b'\n', buffer) {
                self.carried.extend_from_slice(&buffer[last + 1..]);
                buffer.truncate(last + 1);
                return Ok(());
            }
            if buffer.len() > LONGEST_LINE {
                return Err(ChunkError::LineTooLong(self.next_line));
            }
            wanted = buffer.len() * 2;
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
        let mut buffer = Vec::new();
        while let Some((place, result)) = chunks.next(&mut buffer) {
            result.unwrap();
            let lines_before = read.iter().filter(|byte| **byte == b'\n').count() as u64;
            assert_eq!(place.first_line, lines_before + 1);
            read.extend_from_slice(&buffer);
            assert!(buffer.ends_with(b"\n") || read == text);
        }
        assert_eq!(read, text);
    }

    #[test]
    fn a_line_without_end_is_refused_before_it_fills_the_memory() {
        let mut chunks = Chunks::new(Box::new(io::repeat(b'x')));
        let mut buffer = Vec::new();
        let (_, result) = chunks.next(&mut buffer).unwrap();
        assert!(matches!(result, Err(ChunkError::LineTooLong(1))));
        assert!(buffer.len() < LONGEST_LINE * 3);
        assert!(chunks.next(&mut buffer).is_none());
    }
}
