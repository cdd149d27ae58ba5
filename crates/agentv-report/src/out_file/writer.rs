//! Writing records to any writer.

use std::fmt;
use std::io::{self, BufWriter, IntoInnerError, Write};

use agentv_core::ResultRecord;

use super::format::Layout;

/// A writer of records, which keeps none.
pub(crate) struct RecordWriter<W: Write> {
    layout: Box<dyn Layout>,
    out: BufWriter<W>,
    buffer: Vec<u8>,
}

impl<W: Write> fmt::Debug for RecordWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordWriter").finish_non_exhaustive()
    }
}

impl<W: Write> RecordWriter<W> {
    pub(crate) fn new(layout: Box<dyn Layout>, out: W) -> RecordWriter<W> {
        RecordWriter {
            layout,
            out: BufWriter::with_capacity(1 << 16, out),
            buffer: Vec::new(),
        }
    }

    pub(crate) fn write(&mut self, record: &ResultRecord) -> io::Result<()> {
        self.buffer.clear();
        self.layout.record(record, &mut self.buffer)?;
        self.out.write_all(&self.buffer)
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes the end and returns the underlying writer.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.buffer.clear();
        self.layout.end(&mut self.buffer)?;
        self.out.write_all(&self.buffer)?;
        self.out.into_inner().map_err(IntoInnerError::into_error)
    }
}
