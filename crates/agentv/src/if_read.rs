//! A writer for the words of a verdict, which the exit code repeats.

use std::io::{self, Write};

/// A writer that drops text once its reader has gone away, without an error. A command whose exit code is a
/// verdict then still returns it: `agentv run evals | head` fails if a gate is not met.
pub(crate) struct IfRead<W>(pub(crate) W);

impl<W: Write> Write for IfRead<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}
