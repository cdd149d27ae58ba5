//! A writer for text of others, which a terminal must not obey.

use std::io::{self, Write};

use agentv_core::visible;

/// A writer that escapes letters that a terminal would obey: `\u001b`. It changes nothing elsewhere.
pub(crate) struct EscapingWriter<W> {
    out: W,
    is_terminal: bool,
    /// The first bytes of a letter whose other bytes are not written yet.
    begun: Vec<u8>,
}

impl<W: Write> EscapingWriter<W> {
    pub(crate) fn on(out: W, is_terminal: bool) -> EscapingWriter<W> {
        EscapingWriter {
            out,
            is_terminal,
            begun: Vec::new(),
        }
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.is_terminal {
            return self.out.write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        let all = std::mem::take(&mut self.begun);
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.out.write_all(visible(chunk.valid()).as_bytes())?;
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_beginning(invalid) {
                self.begun = invalid.to_vec();
            } else if !invalid.is_empty() {
                self.out.write_all("\u{fffd}".as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Checks if bytes at the end of a text may be the beginning of a letter.
fn is_beginning(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&[u8]], is_terminal: bool) -> String {
        let mut shown = EscapingWriter::on(Vec::new(), is_terminal);
        for piece in pieces {
            shown.write_all(piece).unwrap();
        }
        String::from_utf8(shown.out).unwrap()
    }

    #[test]
    fn a_terminal_gets_no_control_characters_wherever_the_text_is_truncated() {
        let text = "{\"a\": \"é\u{9b}31m\u{202e}\x1b]8;;x\x07\"}\n";
        let expected = "{\"a\": \"é\\u009b31m\\u202e\\u001b]8;;x\\u0007\"}\n";
        for cut in 0..text.len() {
            let (start, end) = text.as_bytes().split_at(cut);
            assert_eq!(written(&[start, end], true), expected, "{cut}");
        }
        assert_eq!(written(&[text.as_bytes()], false), text);
        assert_eq!(written(&[b"a\xffb"], true), "a\u{fffd}b");
    }
}
