//! Places in bytes.

use saphyr_parser::Marker;

/// A conversion of the parser's character indices to bytes; cheap because indices only grow.
pub(super) struct Offsets<'s> {
    source: &'s str,
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'s> Offsets<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Offsets {
            source,
            ascii: source.is_ascii(),
            chars: 0,
            bytes: 0,
        }
    }

    pub(super) fn byte(&mut self, marker: Marker) -> u32 {
        let wanted = marker.index();
        if self.ascii {
            return wanted.min(self.source.len()) as u32;
        }
        if wanted < self.chars {
            // Ends of blocks may lie behind; walk back over the few characters between.
            let back = self.chars - wanted;
            let before = &self.source[..self.bytes];
            let skipped: usize = before.chars().rev().take(back).map(char::len_utf8).sum();
            return (self.bytes - skipped) as u32;
        }
        let ahead = &self.source[self.bytes..];
        let passed: usize = ahead
            .chars()
            .take(wanted - self.chars)
            .map(char::len_utf8)
            .sum();
        self.bytes += passed;
        self.chars = wanted;
        self.bytes as u32
    }
}
