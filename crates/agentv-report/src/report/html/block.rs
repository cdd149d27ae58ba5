//! Compressed JSON in a form that cannot end its HTML element, or in files beside a page.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

/// Returns the bytes as gzip; the same bytes give the same result.
pub(super) fn packed(bytes: &[u8]) -> io::Result<Vec<u8>> {
    // The fast level is three times as fast and costs a fifth in size.
    let mut gzip = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), Compression::fast());
    gzip.write_all(bytes)?;
    gzip.finish()
}

/// Returns a value as JSON, as gzip.
pub(super) fn packed_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut json = Vec::new();
    serde_json::to_writer(&mut json, value)?;
    packed(&json)
}

/// The place of the blocks of a page.
#[derive(Debug)]
pub(super) enum Blocks {
    /// In the page.
    Inside,
    /// In numbered files of a folder, which must be that of the page.
    Beside { folder: PathBuf, written: usize },
}

impl Blocks {
    /// Writes a block that the page's script finds by its kind.
    pub(super) fn write(
        &mut self,
        out: &mut dyn Write,
        kind: &str,
        packed: &[u8],
    ) -> io::Result<()> {
        match self {
            Blocks::Inside => {
                let packed = STANDARD.encode(packed);
                element(out, kind, "", &packed)
            }
            Blocks::Beside { folder, written } => {
                let name = format!("{kind}-{written}.gz");
                *written += 1;
                fs::write(folder.join(&name), packed)?;
                element(out, kind, &format!(" data-file=\"{name}\""), "")
            }
        }
    }
}

/// Writes the element of a block.
pub(super) fn element(out: &mut dyn Write, kind: &str, file: &str, text: &str) -> io::Result<()> {
    writeln!(
        out,
        "<script type=\"application/octet-stream\" data-block=\"{kind}\"{file}>{text}</script>"
    )
}
