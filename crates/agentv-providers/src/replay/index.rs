//! The places of answers in a file, by case: 16 bytes per answer.

use agentv_core::Digest;

/// The places of lines by the digest of an id. Different ids may share a digest, so the caller must
/// compare the id of the line.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The digests and places. [`finish`](Self::finish) sorts them.
    entries: Vec<(u64, u64)>,
}

impl Index {
    pub(super) fn add(&mut self, id: &str, offset: u64) {
        self.entries
            .push((Digest::of(id.as_bytes()).short(), offset));
    }

    pub(super) fn finish(&mut self) {
        self.entries.sort_unstable();
        self.entries.shrink_to_fit();
    }

    /// Returns the places that may hold the id, in file order.
    pub(super) fn places(&self, id: &str) -> impl Iterator<Item = u64> {
        let wanted = Digest::of(id.as_bytes()).short();
        let start = self.entries.partition_point(|(digest, _)| *digest < wanted);
        let entries = self.entries[start..].iter();
        entries
            .take_while(move |(digest, _)| *digest == wanted)
            .map(|(_, offset)| *offset)
    }

    /// Returns the groups of places that share a digest.
    pub(super) fn shared(&self) -> impl Iterator<Item = Vec<u64>> {
        let groups = self.entries.chunk_by(|one, other| one.0 == other.0);
        groups
            .filter(|group| group.len() > 1)
            .map(|group| group.iter().map(|(_, offset)| *offset).collect())
    }
}
