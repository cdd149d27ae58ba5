//! The digest of a case, which decides its shard.

/// Returns a digest of texts, the same on every machine.
pub(crate) fn digest_of(texts: &[&str]) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let mut bytes = [0; 8];
    hasher.finalize_xof().fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

/// Returns the number of the shard that a case with this digest belongs to, unless shards are balanced.
pub(super) fn usual_index(digest: u64, count: u64) -> u64 {
    digest % count + 1
}
