//! Digests of files.

use std::fs::File;
use std::io;
use std::path::Path;

use agentv_core::Digest;

/// Returns a digest of a file's bytes, as 32 hexadecimal digits.
///
/// # Errors
/// Fails if the file cannot be read.
pub fn digest_of_file(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok(Digest::from(hasher.finalize()).to_string())
}

/// Returns a digest of a text, as 12 hexadecimal digits.
pub fn digest_of_text(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()[..12].to_owned()
}
