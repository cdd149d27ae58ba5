//! `--events`: the events of a run as JSON lines, for other programs.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use agentv_core::{ReportError, Reporter, RunEvent};

/// Writes each event as one line of JSON, as soon as it happens.
///
/// ```
/// use agentv_core::{Planned, Reporter, RunEvent};
/// use agentv_report::EventsFile;
///
/// let mut lines = Vec::new();
/// let mut events = EventsFile::to(&mut lines, "memory");
/// events.on_event(&RunEvent::Planned(Planned { trials: 2, skipped: 0 })).unwrap();
/// drop(events);
/// assert_eq!(lines, b"{\"event\":\"planned\",\"trials\":2,\"skipped\":0}\n");
/// ```
pub struct EventsFile<W: Write> {
    out: BufWriter<W>,
    name: String,
    /// True once the reader of a pipe is gone. The run continues without it.
    is_closed: bool,
}

impl EventsFile<Box<dyn Write + Send>> {
    /// Opens the file at `path`, and creates it and missing folders if needed; or uses standard output for
    /// `-`. The first event replaces the content of a file that exists: a run that may not begin, because
    /// another one holds its folder, leaves it unchanged.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn create(path: &Path) -> Result<EventsFile<Box<dyn Write + Send>>, ReportError> {
        let name = path.display().to_string();
        if name == "-" {
            return Ok(EventsFile::to(Box::new(io::stdout()), "standard output"));
        }
        match Replacing::open(path) {
            Ok(file) => Ok(EventsFile::to(Box::new(file), name)),
            Err(source) => Err(ReportError { to: name, source }),
        }
    }
}

/// A file whose old content is removed by the first write.
struct Replacing {
    file: File,
    is_old: bool,
}

impl Replacing {
    fn open(path: &Path) -> io::Result<Replacing> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut options = File::options();
        let file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)?;
        // A pipe or a device has no old content.
        let is_old = file.metadata()?.is_file();
        Ok(Replacing { file, is_old })
    }
}

impl Write for Replacing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if std::mem::take(&mut self.is_old) {
            self.file.set_len(0)?;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<W: Write> EventsFile<W> {
    /// Writes events to `out`. Errors call it `name`.
    pub fn to(out: W, name: impl Into<String>) -> EventsFile<W> {
        EventsFile {
            out: BufWriter::new(out),
            name: name.into(),
            is_closed: false,
        }
    }

    fn write(&mut self, event: &RunEvent) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, event)?;
        self.out.write_all(b"\n")?;
        // Readers follow the file while the run writes it.
        self.out.flush()
    }
}

impl<W: Write> Reporter for EventsFile<W> {
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        if self.is_closed {
            return Ok(());
        }
        match self.write(event) {
            Err(source) if source.kind() == io::ErrorKind::BrokenPipe => {
                self.is_closed = true;
                Ok(())
            }
            Err(source) => Err(ReportError {
                to: self.name.clone(),
                source,
            }),
            Ok(()) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use agentv_core::Stop;

    use super::*;

    #[test]
    fn a_closed_reader_does_not_end_the_run() {
        struct Gone;
        impl Write for Gone {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut events = EventsFile::to(Gone, "pipe");
        let event = RunEvent::Stopping {
            reason: Stop::Interrupted,
        };
        for _ in 0..3 {
            events.on_event(&event).unwrap();
        }
    }

    #[test]
    fn the_first_event_replaces_the_content_of_a_file_in_a_new_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/events.jsonl");
        let content = || std::fs::read_to_string(&path).unwrap();
        let event = RunEvent::Noticed {
            message: "hi".to_owned(),
        };
        let mut events = EventsFile::create(&path).unwrap();
        events.on_event(&event).unwrap();
        events.on_event(&event).unwrap();
        let written = content();
        assert_eq!(written.lines().count(), 2);
        drop(EventsFile::create(&path).unwrap());
        assert_eq!(content(), written, "nothing has happened yet");
        let mut events = EventsFile::create(&path).unwrap();
        events.on_event(&event).unwrap();
        assert_eq!(content().lines().count(), 1);
    }

    #[test]
    fn a_file_that_cannot_be_created_is_named() {
        let error = EventsFile::create(Path::new("/dev/null/events.jsonl"));
        let error = error.err().map(|error| error.to_string()).unwrap();
        assert!(
            error.starts_with("cannot write `/dev/null/events.jsonl`"),
            "{error}"
        );
    }
}
