//! The file in which a server logs its requests.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

use serde_json::json;

/// A file that gets one line per request.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
}

impl Log {
    pub(crate) fn open(path: &Path) -> io::Result<Log> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Log { file })
    }

    /// Appends a line in one write, so that a reader never sees half a line.
    pub(crate) fn note(&self, path: &str, message: &str) -> io::Result<()> {
        let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let time = time.unwrap_or_default().as_secs_f64();
        let line = json!({"time": time, "path": path, "message": message});
        (&self.file).write_all(format!("{line}\n").as_bytes())
    }
}
