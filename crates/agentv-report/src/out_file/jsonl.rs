//! One JSON object per line.

use std::io;

use agentv_core::ResultRecord;

use super::format::{Format, Layout};

pub(super) const FORMAT: Format = Format {
    extensions: &["jsonl"],
    start: || Box::new(Lines),
};

struct Lines;

impl Layout for Lines {
    fn record(&mut self, record: &ResultRecord, out: &mut Vec<u8>) -> io::Result<()> {
        serde_json::to_writer(&mut *out, record)?;
        out.push(b'\n');
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<u8>) -> io::Result<()> {
        Ok(())
    }
}
