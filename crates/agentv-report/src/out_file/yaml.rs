//! One YAML sequence.

use std::io;

use agentv_core::ResultRecord;
use agentv_syntax::Draft;

use super::format::{Format, Layout};

pub(super) const FORMAT: Format = Format {
    extensions: &["yaml", "yml"],
    start: || Box::new(Sequence { is_empty: true }),
};

struct Sequence {
    is_empty: bool,
}

impl Layout for Sequence {
    fn record(&mut self, record: &ResultRecord, out: &mut Vec<u8>) -> io::Result<()> {
        self.is_empty = false;
        let value = serde_json::to_value(record)?;
        let item = Draft::Array(vec![Draft::from(&value)]);
        out.extend_from_slice(item.to_yaml().as_bytes());
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if self.is_empty {
            out.extend_from_slice(b"[]\n");
        }
        Ok(())
    }
}
