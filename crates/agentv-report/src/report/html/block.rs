//! Compressed JSON in a form that cannot end its HTML element.

use std::io::{self, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

/// Returns the bytes as gzip in base64; the same bytes give the same text.
pub(super) fn packed(bytes: &[u8]) -> io::Result<String> {
    let mut gzip = encoder(bytes.len() / 4);
    gzip.write_all(bytes)?;
    Ok(STANDARD.encode(gzip.finish()?))
}

/// Returns a value as JSON, as gzip in base64.
pub(super) fn packed_json(value: &impl Serialize) -> io::Result<String> {
    let mut json = Vec::new();
    serde_json::to_writer(&mut json, value)?;
    packed(&json)
}

/// Writes a block that the page's script finds by its kind.
pub(super) fn write(out: &mut dyn Write, kind: &str, packed: &str) -> io::Result<()> {
    writeln!(
        out,
        "<script type=\"application/octet-stream\" data-block=\"{kind}\">{packed}</script>"
    )
}

fn encoder(room: usize) -> GzEncoder<Vec<u8>> {
    // The fast level is three times as fast and costs a fifth in size.
    GzEncoder::new(Vec::with_capacity(room), Compression::fast())
}
