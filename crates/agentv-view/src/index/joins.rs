//! The numbers of trials and transcripts by the digests of their names, while an index may grow.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};

/// The key of the digests of an index. It is random, so that nobody can write records whose digests are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct DigestKey(RandomState);

impl DigestKey {
    /// Returns a digest of some values.
    pub(crate) fn digest<T: Hash>(&self, values: T) -> u64 {
        self.0.hash_one(values)
    }
}

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

/// A digest of eight bytes that needs no alignment, so that a million of them with their numbers need
/// twelve bytes each, not sixteen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Digest([u32; 2]);

impl From<u64> for Digest {
    fn from(digest: u64) -> Digest {
        Digest([(digest >> 32) as u32, digest as u32])
    }
}

impl Hash for Digest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Digest([high, low]) = self;
        state.write_u64(u64::from(*high) << 32 | u64::from(*low));
    }
}

pub(crate) type ByDigest = HashMap<Digest, u32, BuildHasherDefault<Digests>>;

/// The numbers of rows and transcripts by digest.
#[derive(Debug, Default)]
pub(crate) struct Joins {
    pub(crate) key: DigestKey,
    /// Rows by trial.
    pub(crate) trials: ByDigest,
    /// Transcripts by answer key and case.
    pub(crate) own: ByDigest,
    /// The transcripts whose question is longer than a search covers.
    pub(crate) cut: HashSet<u32>,
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
            found.extend(self.answers.iter().copied().map(Digest::from).zip(0..));
        }
        found
    }
}
