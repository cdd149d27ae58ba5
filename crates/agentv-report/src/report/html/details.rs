//! The records of trials as they are written, in blocks of a few hundred trials.

use std::io;

use super::{block, cut};

/// The most trials in a block: opening one of them unpacks all.
const TRIALS: u32 = 256;
/// A block with this many bytes takes no further trial.
const BYTES: usize = 1 << 20;

/// Collects the records of trials, and packs them into blocks.
///
/// A block has one line a trial: an object with its `result` and, where there is one, its `transcript`;
/// `cut` says how many of their values were too long for a page.
#[derive(Debug, Default)]
pub(super) struct Details {
    lines: Vec<u8>,
    trials: u32,
    packed: Vec<Detail>,
}

/// A packed block.
#[derive(Debug)]
pub(super) struct Detail {
    /// How many trials are in it.
    pub(super) trials: u32,
    /// Their records.
    pub(super) packed: String,
}

impl Details {
    /// Takes the records of one trial.
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

    /// All blocks, in the order of the trials.
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
