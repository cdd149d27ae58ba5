//! The content of a compressed file, unless it is far more than the size of the file suggests.

use std::io::{self, Read};

/// Unpacked bytes that any file may have.
const ALWAYS: u64 = 128 << 20;
/// Factor of its size that a file may hold beyond that. Cases seldom reach a fiftieth of it.
const MOST_TIMES: u64 = 500;

/// A reader of unpacked bytes that fails if they become too many for the size of the file.
pub(super) struct Unpacked<R> {
    input: R,
    left: u64,
}

impl<R: Read> Unpacked<R> {
    /// Returns a reader of what `input` unpacks from a file of `size` bytes.
    pub(super) fn new(input: R, size: u64) -> Unpacked<R> {
        Unpacked {
            input,
            left: size.saturating_mul(MOST_TIMES).max(ALWAYS),
        }
    }
}

impl<R: Read> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let left = self.left.checked_sub(read as u64);
        self.left = left.ok_or_else(|| {
            io::Error::other(
                "it unpacks to more than 128 MiB and 500 times its size; \
                 if that is right, unpack it yourself and give the `.jsonl` file",
            )
        })?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_unpacks_to_far_more_than_its_size_is_refused() {
        let read = |size: u64, length: u64| {
            let mut unpacked = Unpacked::new(io::repeat(b'\n').take(length), size);
            io::copy(&mut unpacked, &mut io::sink())
        };
        assert_eq!(read(1, ALWAYS).unwrap(), ALWAYS);
        let refused = read(1_000, ALWAYS + 1).unwrap_err().to_string();
        assert!(refused.contains("500 times its size"), "{refused}");
        assert!(read(ALWAYS / 400, ALWAYS + 1).is_ok());
    }
}
