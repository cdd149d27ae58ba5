//! One trial in the index, in a fixed number of bytes.

use agentv_core::Status;

/// Set if the texts of a trial are longer than the index keeps.
const CUT: u8 = 1;

/// A trial: where its records are, and its values for filters and sorting.
///
/// Names are numbers in [`Names`](super::Names). NaN stands for a figure that is not known, so that a
/// row stays small; the methods return `None` instead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The offset of its result.
    pub(crate) at: u64,
    /// The offset of its words in the file of texts.
    pub(crate) words: u64,
    pub(crate) score: f64,
    /// The length of its result in bytes, without the newline.
    pub(crate) length: u32,
    /// The number of its transcript, [`Row::NO_TRANSCRIPT`] if it has none.
    pub(crate) transcript: u32,
    pub(crate) ms: f32,
    pub(crate) cost: f32,
    pub(crate) file: u32,
    pub(crate) target: u32,
    pub(crate) dataset: u32,
    pub(crate) trial: u32,
    /// The number of its case in its file; the largest number if it is not known.
    pub(crate) position: u32,
    pub(crate) verdicts: u32,
    pub(crate) tools: u32,
    pub(crate) status: u8,
    pub(crate) flags: u8,
}

/// The place of a transcript, and of its question in the file of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TranscriptPlace {
    /// The offset of its first byte.
    pub at: u64,
    /// Its length in bytes, without the newline.
    pub length: u32,
    pub(crate) question: u64,
}

impl Row {
    /// The number of bytes of a row on disk.
    pub(crate) const BYTES: usize = 70;
    /// Stands for a transcript that does not exist.
    pub(crate) const NO_TRANSCRIPT: u32 = u32::MAX;

    /// Returns the status.
    pub fn status(&self) -> Status {
        let status = Status::ALL.get(usize::from(self.status));
        status.copied().unwrap_or(Status::Ungraded)
    }

    /// Returns the score, if the trial was graded.
    pub fn score(&self) -> Option<f64> {
        (!self.score.is_nan()).then_some(self.score)
    }

    /// Returns the duration of the call, if it was measured.
    pub fn ms(&self) -> Option<f32> {
        (!self.ms.is_nan()).then_some(self.ms)
    }

    /// Returns the cost in US dollars, if it is known.
    pub fn cost(&self) -> Option<f32> {
        (!self.cost.is_nan()).then_some(self.cost)
    }

    /// Checks if the texts of the trial are longer than the index keeps.
    pub fn is_cut(&self) -> bool {
        self.flags & CUT != 0
    }

    pub(crate) fn set_cut(&mut self, is_cut: bool) {
        self.flags = if is_cut {
            self.flags | CUT
        } else {
            self.flags & !CUT
        };
    }

    /// Appends the bytes of the row.
    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.at.to_le_bytes());
        to.extend(self.words.to_le_bytes());
        to.extend(self.score.to_le_bytes());
        for number in [
            self.length,
            self.transcript,
            self.ms.to_bits(),
            self.cost.to_bits(),
            self.file,
            self.target,
            self.dataset,
            self.trial,
            self.position,
            self.verdicts,
            self.tools,
        ] {
            to.extend(number.to_le_bytes());
        }
        to.extend([self.status, self.flags]);
    }

    /// Reads the row from its bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Row> {
        let mut bytes = Bytes(bytes);
        Some(Row {
            at: bytes.long()?,
            words: bytes.long()?,
            score: f64::from_bits(bytes.long()?),
            length: bytes.word()?,
            transcript: bytes.word()?,
            ms: f32::from_bits(bytes.word()?),
            cost: f32::from_bits(bytes.word()?),
            file: bytes.word()?,
            target: bytes.word()?,
            dataset: bytes.word()?,
            trial: bytes.word()?,
            position: bytes.word()?,
            verdicts: bytes.word()?,
            tools: bytes.word()?,
            status: bytes.byte()?,
            flags: bytes.byte()?,
        })
    }
}

impl TranscriptPlace {
    /// The number of bytes of a place on disk.
    pub(crate) const BYTES: usize = 20;

    /// Appends the bytes of the place.
    pub(crate) fn encode(&self, to: &mut Vec<u8>) {
        to.extend(self.at.to_le_bytes());
        to.extend(self.question.to_le_bytes());
        to.extend(self.length.to_le_bytes());
    }

    /// Reads the place from its bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<TranscriptPlace> {
        let mut bytes = Bytes(bytes);
        Some(TranscriptPlace {
            at: bytes.long()?,
            question: bytes.long()?,
            length: bytes.word()?,
        })
    }
}

/// Bytes that are read from the front.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    fn long(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    fn word(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }
}
