//! The formats of record files.

use std::fmt;
use std::io;
use std::path::Path;

use agentv_core::ResultRecord;

use super::{csv, json, jsonl, yaml};

/// A format of record files.
#[derive(Clone, Copy)]
pub struct Format {
    /// The extensions of its files.
    pub extensions: &'static [&'static str],
    /// Begins a file.
    pub(crate) start: fn() -> Box<dyn Layout>,
}

/// All formats: one file and one line each.
pub const ALL: &[Format] = &[jsonl::FORMAT, yaml::FORMAT, json::FORMAT, csv::FORMAT];

/// The layout of one file: the text before, between and after the records.
pub(crate) trait Layout: Send {
    /// Appends a record.
    fn record(&mut self, record: &ResultRecord, out: &mut Vec<u8>) -> io::Result<()>;
    /// Appends the end of the file.
    fn end(&mut self, out: &mut Vec<u8>) -> io::Result<()>;
}

impl Format {
    /// Returns the format of a file by its extension.
    pub(super) fn of(path: &Path) -> io::Result<Format> {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let extension = extension.to_ascii_lowercase();
        let found = ALL
            .iter()
            .find(|format| format.extensions.contains(&&*extension));
        found.copied().ok_or_else(|| {
            let known: Vec<String> = ALL
                .iter()
                .flat_map(|format| format.extensions)
                .map(|extension| format!("`.{extension}`"))
                .collect();
            let found = if extension.is_empty() {
                "the file name has no extension".to_owned()
            } else {
                format!("unknown extension `.{extension}`")
            };
            let message = format!("{found}; expected one of {}", known.join(", "));
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.extensions.join(", "))
    }
}
