//! The assemblers of streams, for the fuzz targets.

use super::Protocol;
use super::stream::Incoming;

/// Assembles the chunks of a stream in the protocol with this letter: `o`, `r`, `a`, `g` or `b`. Returns the
/// answer or the error in words; `None` for another letter.
pub fn streamed(protocol: u8, chunks: &[&[u8]]) -> Option<String> {
    let protocol = match protocol {
        b'o' => Protocol::Chat,
        b'r' => Protocol::Responses,
        b'a' => Protocol::Messages,
        b'g' => Protocol::Generate,
        b'b' => Protocol::Converse,
        _ => return None,
    };
    let content_type = match protocol {
        Protocol::Converse => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    };
    let mut incoming = Incoming::of(content_type, protocol.wire())?;
    for chunk in chunks {
        if let Err(error) = incoming.push(chunk) {
            return Some(error.to_string());
        }
    }
    Some(match incoming.finish() {
        Ok(reply) => format!("{reply:?}"),
        Err(error) => error.to_string(),
    })
}
