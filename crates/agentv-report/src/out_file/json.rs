//! One JSON array, one record per line.

use std::io;

use agentv_core::ResultRecord;

use super::format::{Format, Layout};

pub(super) const FORMAT: Format = Format {
    extensions: &["json"],
    start: || Box::new(Array { is_empty: true }),
};

struct Array {
    is_empty: bool,
}

impl Layout for Array {
    fn record(&mut self, record: &ResultRecord, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(if self.is_empty { b"[\n" } else { b",\n" });
        self.is_empty = false;
        serde_json::to_writer(out, record)?;
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        out.extend_from_slice(if self.is_empty { b"[]\n" } else { b"\n]\n" });
        Ok(())
    }
}
