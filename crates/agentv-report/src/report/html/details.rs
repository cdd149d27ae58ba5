//! The complete records of trials, in blocks of a few hundred.

use std::io;

use super::{block, cut};

/// The largest number of trials in a block: opening one of them unpacks all.
const TRIALS: u32 = 256;
/// The size in bytes at which a block is complete.
const BYTES: usize = 1 << 20;

/// A collector of records, which packs them into blocks.
///
/// A block has one line per trial: an object with its `result` and, if there is one, its
/// `transcript`. `cut` is the number of their values that were too long for a page.
#[derive(Debug, Default)]
pub(super) struct Details {
    lines: Vec<u8>,
    trials: u32,
    packed: Vec<Detail>,
}

/// A packed block.
#[derive(Debug)]
pub(super) struct Detail {
    /// The number of its trials.
    pub(super) trials: u32,
    /// Their records.
    pub(super) packed: Vec<u8>,
}

impl Details {
    /// Adds the records of one trial.
    pub(super) fn push(&mut self, result: &str, transcript: Option<&str>) -> io::Result<()> {
        self.lines.extend_from_slice(b"{\"result\":");
        let mut cuts = cut::append(result, &mut self.lines);
        if let Some(transcript) = transcript {
            self.lines.extend_from_slice(b",\"transcript\":");
            cuts += cut::append(transcript, &mut self.lines);
        }
        if cuts > 0 {
            self.lines
                .extend_from_slice(format!(",\"cut\":{cuts}").as_bytes());
        }
        self.lines.extend_from_slice(b"}\n");
        self.trials += 1;
        if self.trials == TRIALS || self.lines.len() >= BYTES {
            self.pack()?;
        }
        Ok(())
    }

    /// Returns all blocks, in the order of the trials.
    pub(super) fn finish(mut self) -> io::Result<Vec<Detail>> {
        if self.trials > 0 {
            self.pack()?;
        }
        Ok(self.packed)
    }

    fn pack(&mut self) -> io::Result<()> {
        self.packed.push(Detail {
            trials: self.trials,
            packed: block::packed(&self.lines)?,
        });
        self.lines.clear();
        self.trials = 0;
        Ok(())
    }
}
