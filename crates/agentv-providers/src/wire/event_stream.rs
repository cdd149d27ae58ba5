//! Amazon's binary event stream: frames with lengths, headers and checksums.

use std::borrow::Cow;

/// The bytes before the headers: two lengths and their checksum.
const PRELUDE: usize = 12;
/// The bytes after the payload: the checksum of the frame.
const CHECKSUM: usize = 4;
/// A larger frame is refused: Amazon's are at most 16 MiB.
const LARGEST: usize = 24 << 20;

/// Reads events from the bytes of a stream.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    bytes: Vec<u8>,
}

/// A frame that is not one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event stream is damaged")]
pub(crate) struct Damaged;

impl FrameReader {
    /// Takes the next bytes, and passes on each event that is complete with its name and its payload. The
    /// name of an exception starts with [`EXCEPTION`].
    ///
    /// # Errors
    /// If a frame is damaged, or `each` fails.
    pub(crate) fn push<E: From<Damaged>>(
        &mut self,
        chunk: &[u8],
        each: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.bytes.extend_from_slice(chunk);
        let mut start = 0;
        while let Some(frame) = next_frame(&self.bytes[start..])? {
            start += frame.len();
            let (name, payload) = parts(frame).ok_or(Damaged)?;
            each(&name, &String::from_utf8_lossy(payload))?;
        }
        self.bytes.drain(..start);
        Ok(())
    }

    /// Checks that the stream did not end within a frame.
    pub(crate) fn is_complete(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// The start of the name of an event that reports an error.
pub(crate) const EXCEPTION: &str = "exception:";

/// Returns the first frame, if it is complete.
fn next_frame(bytes: &[u8]) -> Result<Option<&[u8]>, Damaged> {
    let Some(length) = number(bytes, 0) else {
        return Ok(None);
    };
    if !(PRELUDE + CHECKSUM..=LARGEST).contains(&length) {
        return Err(Damaged);
    }
    let Some(frame) = bytes.get(..length) else {
        return Ok(None);
    };
    let (content, _) = frame.split_at(length - CHECKSUM);
    let intact = number(frame, 8) == Some(checksum(&frame[..8]))
        && number(frame, length - CHECKSUM) == Some(checksum(content));
    if intact {
        Ok(Some(frame))
    } else {
        Err(Damaged)
    }
}

/// Returns the name of the event and its payload.
fn parts(frame: &[u8]) -> Option<(Cow<'_, str>, &[u8])> {
    let headers_length = number(frame, 4)?;
    let content = frame.get(PRELUDE..frame.len() - CHECKSUM)?;
    let (mut headers, payload) = content.split_at_checked(headers_length)?;
    let (mut event, mut exception) = (Cow::Borrowed(""), None);
    while !headers.is_empty() {
        let (name, value, rest) = header(headers)?;
        match name {
            b":event-type" => event = String::from_utf8_lossy(value),
            b":exception-type" | b":error-code" => {
                exception = Some(String::from_utf8_lossy(value));
            }
            _ => {}
        }
        headers = rest;
    }
    let name = match exception {
        Some(exception) => Cow::Owned(format!("{EXCEPTION}{exception}")),
        None => event,
    };
    Some((name, payload))
}

/// Returns the name and value of the first header, and the rest. Only texts and bytes have a value here.
fn header(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked(usize::from(*length))?;
    let (kind, rest) = rest.split_first()?;
    let fixed = match kind {
        0 | 1 => Some(0),
        2 => Some(1),
        3 => Some(2),
        4 => Some(4),
        5 | 8 => Some(8),
        9 => Some(16),
        6 | 7 => None,
        _ => return None,
    };
    match fixed {
        Some(length) => Some((name, &[], rest.get(length..)?)),
        None => {
            let (length, rest) = rest.split_first_chunk::<2>()?;
            let length = usize::from(u16::from_be_bytes(*length));
            let (value, rest) = rest.split_at_checked(length)?;
            Some((name, value, rest))
        }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..)?.first_chunk::<4>()?;
    usize::try_from(u32::from_be_bytes(*four)).ok()
}

fn checksum(bytes: &[u8]) -> usize {
    // A platform with less than 32 bits could not hold the answer either.
    usize::try_from(crc32fast::hash(bytes)).unwrap_or(usize::MAX)
}

#[cfg(test)]
pub(crate) fn frame(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
    let mut encoded = Vec::new();
    for (name, value) in headers {
        encoded.push(u8::try_from(name.len()).unwrap());
        encoded.extend_from_slice(name.as_bytes());
        encoded.push(7);
        encoded.extend_from_slice(&u16::try_from(value.len()).unwrap().to_be_bytes());
        encoded.extend_from_slice(value.as_bytes());
    }
    let length = PRELUDE + encoded.len() + payload.len() + CHECKSUM;
    let mut frame = Vec::new();
    frame.extend_from_slice(&u32::try_from(length).unwrap().to_be_bytes());
    frame.extend_from_slice(&u32::try_from(encoded.len()).unwrap().to_be_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame.extend_from_slice(&encoded);
    frame.extend_from_slice(payload.as_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&[u8]]) -> Result<Vec<(String, String)>, Damaged> {
        let mut reader = FrameReader::default();
        let mut events = Vec::new();
        let mut each = |name: &str, data: &str| {
            events.push((name.to_owned(), data.to_owned()));
            Ok(())
        };
        for chunk in chunks {
            reader.push(chunk, &mut each)?;
        }
        if reader.is_complete() {
            Ok(events)
        } else {
            Err(Damaged)
        }
    }

    fn stream() -> Vec<u8> {
        let headers = [(":message-type", "event"), (":event-type", "messageStart")];
        let exception = [
            (":message-type", "exception"),
            (":exception-type", "throttlingException"),
        ];
        [
            frame(&headers, "{\"role\":\"assistant\"}"),
            frame(&exception, "{\"message\":\"é\"}"),
        ]
        .concat()
    }

    #[test]
    fn frames_are_the_same_wherever_the_stream_is_cut() {
        let stream = stream();
        let expected = [
            ("messageStart", "{\"role\":\"assistant\"}"),
            ("exception:throttlingException", "{\"message\":\"é\"}"),
        ];
        let expected = expected.map(|(name, data)| (name.to_owned(), data.to_owned()));
        for at in 0..=stream.len() {
            let (before, after) = stream.split_at(at);
            assert_eq!(events(&[before, after]).unwrap(), expected, "{at}");
        }
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let stream = stream();
        for at in 0..stream.len() {
            let mut damaged = stream.clone();
            damaged[at] ^= 1;
            assert!(events(&[&damaged]).is_err(), "{at}");
        }
    }
}
