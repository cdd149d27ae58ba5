//! Server-sent events, out of chunks that are cut anywhere.

use std::borrow::Cow;

use memchr::memchr2;

/// Reads events from the bytes of a stream.
#[derive(Debug, Default)]
pub(crate) struct SseReader {
    /// The line that has begun.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// True if the last line ended with a carriage return, which a line feed may follow.
    after_return: bool,
    has_begun: bool,
}

impl SseReader {
    /// Takes the next bytes, and passes on each event that is complete with its name and its data.
    ///
    /// # Errors
    /// If `each` does.
    pub(crate) fn push<E>(
        &mut self,
        mut chunk: &[u8],
        each: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        while let [first, ..] = chunk {
            if std::mem::take(&mut self.after_return) && *first == b'\n' {
                chunk = &chunk[1..];
                continue;
            }
            let Some(end) = memchr2(b'\n', b'\r', chunk) else {
                self.line.extend_from_slice(chunk);
                break;
            };
            let (line, rest) = chunk.split_at(end);
            self.after_return = rest[0] == b'\r';
            chunk = &rest[1..];
            if self.line.is_empty() {
                self.take(line, each)?;
            } else {
                self.line.extend_from_slice(line);
                let mut whole = std::mem::take(&mut self.line);
                self.take(&whole, each)?;
                whole.clear();
                self.line = whole;
            }
        }
        Ok(())
    }

    /// Takes the end of the stream: an event without the empty line after it counts.
    ///
    /// # Errors
    /// If `each` does.
    pub(crate) fn end<E>(
        &mut self,
        each: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.take(&line, each)?;
        }
        self.take(b"", each)
    }

    fn take<E>(
        &mut self,
        line: &[u8],
        each: &mut impl FnMut(&str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let line = if std::mem::replace(&mut self.has_begun, true) {
            line
        } else {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        };
        if line.is_empty() {
            return self.dispatch(each);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            _ => {}
        }
        Ok(())
    }

    fn dispatch<E>(&mut self, each: &mut impl FnMut(&str, &str) -> Result<(), E>) -> Result<(), E> {
        let passed = if std::mem::take(&mut self.has_data) {
            each(&lossy(&self.name), &lossy(&self.data))
        } else {
            Ok(())
        };
        self.name.clear();
        self.data.clear();
        passed
    }
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    // The check alone is several times as fast, and nearly all text is valid.
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn events(chunks: &[&[u8]]) -> Vec<(String, String)> {
        let mut reader = SseReader::default();
        let mut events = Vec::new();
        let mut each = |name: &str, data: &str| -> Result<(), Infallible> {
            events.push((name.to_owned(), data.to_owned()));
            Ok(())
        };
        for chunk in chunks {
            reader.push(chunk, &mut each).unwrap();
        }
        reader.end(&mut each).unwrap();
        events
    }

    #[test]
    fn events_are_the_same_wherever_the_stream_is_cut() {
        let stream = "\u{feff}: hello\r\nevent: a\r\ndata: {\"é\":\r\ndata:1}\r\n\r\n\
                      data\n\nid: 7\n\nretry: 3\rdata:  x\r\revent: b\n\nevent: c\ndata: y";
        let stream = stream.as_bytes();
        let whole = events(&[stream]);
        let expected = [("a", "{\"é\":\n1}"), ("", ""), ("", " x"), ("c", "y")];
        let expected = expected.map(|(name, data)| (name.to_owned(), data.to_owned()));
        assert_eq!(whole, expected);
        for at in 0..=stream.len() {
            let (before, after) = stream.split_at(at);
            assert_eq!(events(&[before, after]), whole, "{at}");
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(events(&bytes), whole);
    }
}
