//! The numbers of trials and transcripts by the digests of their names, while an index may grow.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher of digests, which need no further mixing.
#[derive(Debug, Default)]
pub(crate) struct Digests(u64);

impl Hasher for Digests {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }
}

pub(crate) type ByDigest = HashMap<u64, u32, BuildHasherDefault<Digests>>;

/// The numbers of rows and transcripts by digest.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    /// Rows by trial.
    pub(crate) trials: ByDigest,
    /// Transcripts by answer key and case.
    pub(crate) own: ByDigest,
    /// The digest of the answer key of each transcript.
    pub(crate) answers: Vec<u64>,
    /// Rows whose answer is not among their own transcripts: cases with the same question may share an
    /// answer.
    pub(crate) sharing: Vec<(u32, u64)>,
}

impl Joins {
    /// Returns the transcripts by answer key alone, the last one of each.
    pub(crate) fn by_answer(&self) -> ByDigest {
        let mut found = ByDigest::default();
        if !self.sharing.is_empty() {
            found.extend(self.answers.iter().copied().zip(0..));
        }
        found
    }
}
