//! Compressed answers. We ask for none, but some gateways compress all the same.

use std::io::{self, Write};

use flate2::write::{GzDecoder, ZlibDecoder};
use reqwest::header::{CONTENT_ENCODING, HeaderMap};

use super::LARGEST;

/// The compressed bytes that are unpacked before the size is checked. They become at most a thousand
/// times as many.
const STEP: usize = 1 << 12;

/// A body while it is being unpacked.
pub(crate) struct Inflate {
    decoder: Decoder,
    unpacked: usize,
}

enum Decoder {
    Gzip(GzDecoder<Vec<u8>>),
    Deflate(ZlibDecoder<Vec<u8>>),
}

/// A compressed body that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InflateError {
    /// The bytes are not what the header says.
    #[error("the compressed body is damaged")]
    Damaged(#[source] io::Error),
    /// The body is larger than [`LARGEST`].
    #[error("the body is too large")]
    TooLarge,
    /// The body has a compression that we do not know.
    #[error("the body has the unknown encoding `{0}`")]
    Unknown(String),
}

impl Inflate {
    /// Returns what unpacks a body with these headers; nothing for a body that is not compressed.
    ///
    /// # Errors
    /// If the compression is not known.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Inflate>, InflateError> {
        let Some(value) = headers.get(CONTENT_ENCODING) else {
            return Ok(None);
        };
        let name = String::from_utf8_lossy(value.as_bytes());
        let name = name.trim().to_ascii_lowercase();
        let decoder = match name.as_str() {
            "" | "identity" => return Ok(None),
            "gzip" | "x-gzip" => Decoder::Gzip(GzDecoder::new(Vec::new())),
            "deflate" => Decoder::Deflate(ZlibDecoder::new(Vec::new())),
            _ => return Err(InflateError::Unknown(name)),
        };
        Ok(Some(Inflate {
            decoder,
            unpacked: 0,
        }))
    }

    /// Unpacks the next bytes.
    ///
    /// # Errors
    /// If they are damaged, or become too many.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Vec<u8>, InflateError> {
        let mut all = Vec::new();
        for step in bytes.chunks(STEP) {
            let written = match &mut self.decoder {
                Decoder::Gzip(decoder) => write(decoder, step),
                Decoder::Deflate(decoder) => write(decoder, step),
            };
            written.map_err(InflateError::Damaged)?;
            let unpacked = match &mut self.decoder {
                Decoder::Gzip(decoder) => std::mem::take(decoder.get_mut()),
                Decoder::Deflate(decoder) => std::mem::take(decoder.get_mut()),
            };
            self.unpacked += unpacked.len();
            if self.unpacked > LARGEST {
                return Err(InflateError::TooLarge);
            }
            all.extend(unpacked);
        }
        Ok(all)
    }
}

/// Writes all bytes, and everything that they become. Bytes after the end of the body are not read.
fn write(decoder: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let taken = decoder.write(rest)?;
        if taken == 0 {
            break;
        }
        rest = &rest[taken..];
    }
    decoder.flush()
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use reqwest::header::HeaderValue;

    use super::*;

    fn inflate(encoding: &'static str) -> Result<Option<Inflate>, InflateError> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        Inflate::of(&headers)
    }

    #[test]
    fn a_body_is_the_same_however_it_is_cut() {
        let text = "  {\"a\": \"é😀\"}\n".repeat(500);
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(text.as_bytes()).unwrap();
        for (name, bytes) in [
            ("gzip", gzip.finish().unwrap()),
            ("deflate", zlib.finish().unwrap()),
        ] {
            for size in [1, 7, bytes.len()] {
                let mut inflate = inflate(name).unwrap().unwrap();
                let pieces = bytes.chunks(size).map(|piece| inflate.push(piece).unwrap());
                let whole: Vec<u8> = pieces.flatten().collect();
                assert_eq!(whole, text.as_bytes(), "{name} {size}");
            }
        }
    }

    #[test]
    fn a_small_body_does_not_become_a_large_one() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        let zeros = vec![0; 1 << 20];
        for _ in 0..(LARGEST >> 20) + 1 {
            gzip.write_all(&zeros).unwrap();
        }
        let bomb = gzip.finish().unwrap();
        let mut inflate = inflate("gzip").unwrap().unwrap();
        assert!(matches!(inflate.push(&bomb), Err(InflateError::TooLarge)));
    }

    #[test]
    fn another_encoding_is_an_error_and_none_is_none() {
        assert!(inflate("identity").unwrap().is_none());
        assert!(matches!(inflate("br"), Err(InflateError::Unknown(name)) if name == "br"));
        let mut damaged = inflate("gzip").unwrap().unwrap();
        assert!(matches!(
            damaged.push(b"{\"no\": \"gzip\"}"),
            Err(InflateError::Damaged(_))
        ));
    }
}
