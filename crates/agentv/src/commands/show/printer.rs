//! Values as JSON lines or YAML documents.

use std::io::{self, Write};

use agentv_syntax::Draft;
use serde::Serialize;
use serde_json::Value;

use crate::arguments::CaseFormat;

/// Prints values one after the other.
pub(super) struct Printer<W: Write> {
    pub(super) out: W,
    format: CaseFormat,
    pub(super) printed: u64,
}

impl<W: Write> Printer<W> {
    pub(super) fn new(out: W, format: CaseFormat) -> Printer<W> {
        Printer {
            out,
            format,
            printed: 0,
        }
    }

    pub(super) fn print<T: Serialize>(&mut self, value: &T) -> io::Result<()> {
        match self.format {
            CaseFormat::Json => {
                serde_json::to_writer(&mut self.out, value)?;
                self.out.write_all(b"\n")?;
            }
            CaseFormat::Yaml => {
                if self.printed > 0 {
                    self.out.write_all(b"---\n")?;
                }
                let value: Value = serde_json::to_value(value)?;
                self.out
                    .write_all(Draft::from(&value).to_yaml().as_bytes())?;
            }
        }
        self.printed += 1;
        Ok(())
    }
}
