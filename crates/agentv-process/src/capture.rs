//! Output that is read to its end. Only a bounded part is kept.

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::Captured;

/// The capacity of a pipe on Linux, so that one read can empty it.
const CHUNK: usize = 64 << 10;

/// The part of an output that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Beginning,
    End,
}

/// An output that is being read. It takes at most twice its limit and one chunk of memory.
#[derive(Debug)]
pub(crate) struct Capture {
    keep: Keep,
    limit: usize,
    kept: Vec<u8>,
    total: u64,
}

impl Capture {
    pub(crate) fn new(keep: Keep, limit: usize) -> Self {
        Self {
            keep,
            limit,
            kept: Vec::new(),
            total: 0,
        }
    }

    /// Reads until the output ends or fails. If the future is dropped, the bytes read so far are kept.
    pub(crate) async fn read(&mut self, mut output: impl AsyncRead + Unpin) {
        let mut chunk = vec![0; CHUNK];
        while let Ok(read @ 1..) = output.read(&mut chunk).await {
            self.add(&chunk[..read]);
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        match self.keep {
            Keep::Beginning => {
                let room = self.limit - self.kept.len();
                self.kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
            }
            Keep::End => {
                let last = bytes.len().saturating_sub(self.limit);
                self.kept.extend_from_slice(&bytes[last..]);
                // Cut rarely, so that each byte moves a bounded number of times.
                if self.kept.len() > self.limit.saturating_mul(2) {
                    self.cut_front();
                }
            }
        }
    }

    fn cut_front(&mut self) {
        self.kept
            .drain(..self.kept.len().saturating_sub(self.limit));
    }

    pub(crate) fn finish(mut self) -> Captured {
        self.cut_front();
        Captured {
            dropped: self.total - self.kept.len() as u64,
            bytes: self.kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(keep: Keep, limit: usize, pieces: &[&str]) -> (String, u64) {
        let mut capture = Capture::new(keep, limit);
        for piece in pieces {
            capture.add(piece.as_bytes());
            assert!(capture.kept.len() <= 2 * limit);
        }
        let captured = capture.finish();
        (captured.text().into_owned(), captured.dropped)
    }

    #[test]
    fn the_beginning_or_the_end_is_kept_however_it_arrives() {
        let text = "abcdefghij";
        let letters: Vec<&str> = text.split("").collect();
        for pieces in [&letters[..], &[text], &["abcd", "efg", "hij"]] {
            assert_eq!(captured(Keep::Beginning, 4, pieces), ("abcd".into(), 6));
            assert_eq!(captured(Keep::End, 4, pieces), ("ghij".into(), 6));
            assert_eq!(captured(Keep::Beginning, 10, pieces), (text.into(), 0));
            assert_eq!(captured(Keep::End, 10, pieces), (text.into(), 0));
            assert_eq!(captured(Keep::End, 0, pieces), (String::new(), 10));
            assert_eq!(captured(Keep::Beginning, 0, pieces), (String::new(), 10));
        }
    }
}
