//! The digest of a case, which decides its shard.

use agentv_core::Digest;

/// Returns a digest of texts, the same on every machine.
pub(crate) fn digest_of(texts: &[&str]) -> u64 {
    Digest::of_texts(texts).short()
}

/// Returns the number of the shard that a case with this digest belongs to, unless shards are balanced.
pub(super) fn usual_index(digest: u64, count: u64) -> u64 {
    digest % count + 1
}
