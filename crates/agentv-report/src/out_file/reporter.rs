//! The reporter that writes records to a file.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use agentv_core::{ReportError, Reporter, RunEvent};
use agentv_journal::AtomicFile;

use super::format::Format;
use super::writer::RecordWriter;
use crate::Clock;
use crate::destination::{error_of, open_destination};
use crate::report::ReportFailure;
use crate::results::RunResults;

/// The longest time that a record stays in memory while further ones arrive.
const FLUSH: Duration = Duration::from_secs(1);

/// The records of a run in a file, in the order in which trials end, in the [`Format`] of the
/// file's extension.
///
/// Records go to a temporary file beside it, and [`finish`](OutFile::finish) replaces the file in
/// one step. A run that crashes leaves an existing file unchanged. An interrupted run is finished
/// too, with the records it has.
#[derive(Debug)]
pub struct OutFile<W: Write = AtomicFile> {
    path: PathBuf,
    writer: RecordWriter<W>,
    clock: Clock,
    flushed: Instant,
    /// The first error, after which nothing more is written.
    failed: Option<(io::ErrorKind, String)>,
}

impl OutFile {
    /// Prepares to write to `path`, and creates missing folders.
    ///
    /// # Errors
    /// Fails if the extension is unknown, or the file cannot be created.
    pub fn create(path: impl Into<PathBuf>) -> Result<OutFile, ReportError> {
        OutFile::create_with(path.into(), Clock::real())
    }

    fn create_with(path: PathBuf, clock: Clock) -> Result<OutFile, ReportError> {
        let opened = Format::of(&path).and_then(|format| {
            let file = open_destination(&path)?;
            Ok(RecordWriter::new((format.start)(), file))
        });
        match opened {
            Ok(writer) => Ok(OutFile {
                path,
                writer,
                flushed: clock.now(),
                clock,
                failed: None,
            }),
            Err(source) => Err(error_of(&path, source)),
        }
    }

    /// Replaces the file with one that holds the results of a run.
    ///
    /// # Errors
    /// Fails if they cannot be read or written; then the file is unchanged.
    pub fn write_run(mut self, results: &RunResults) -> Result<(), ReportFailure> {
        let mut written = Ok(());
        results.each_in_file_order(&mut |record| {
            if written.is_ok() {
                written = self.writer.write(&record.value);
            }
        })?;
        let written = written.map_err(|source| error_of(&self.path, source));
        written
            .and_then(|()| self.finish())
            .map_err(ReportFailure::Write)
    }

    /// Replaces the file with the complete new one.
    ///
    /// # Errors
    /// Fails if something could not be written, now or before; then the file is unchanged.
    pub fn finish(self) -> Result<(), ReportError> {
        self.finish_with(AtomicFile::commit)
    }
}

impl<W: Write> OutFile<W> {
    fn finish_with(self, commit: impl FnOnce(W) -> io::Result<()>) -> Result<(), ReportError> {
        let OutFile {
            path,
            writer,
            failed,
            ..
        } = self;
        let done = match failed {
            Some((kind, message)) => Err(io::Error::new(kind, message)),
            None => writer.finish().and_then(commit),
        };
        done.map_err(|source| error_of(&path, source))
    }

    fn write(&mut self, record: &agentv_core::ResultRecord) -> io::Result<()> {
        self.writer.write(record)?;
        let now = self.clock.now();
        if now.saturating_duration_since(self.flushed) >= FLUSH {
            self.flushed = now;
            self.writer.flush()?;
        }
        Ok(())
    }
}

impl<W: Write> Reporter for OutFile<W> {
    /// Drops further records after it has returned an error.
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError> {
        let RunEvent::Finished { record, .. } = event else {
            return Ok(());
        };
        if self.failed.is_some() {
            return Ok(());
        }
        self.write(record).map_err(|source| {
            self.failed = Some((source.kind(), source.to_string()));
            error_of(&self.path, source)
        })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;
    use std::sync::{Arc, Mutex};

    use agentv_core::ResultRecord;

    use super::*;
    use crate::samples::graded;

    fn end(file: &mut OutFile<fs::File>, record: &ResultRecord) -> Result<(), ReportError> {
        file.on_event(&RunEvent::Finished {
            record: record.clone().into(),
            reused: false,
        })
    }

    #[test]
    fn after_a_failed_write_nothing_is_committed_and_the_error_is_reported_again() {
        let path = PathBuf::from("out.jsonl");
        let now = Arc::new(Mutex::new(Instant::now()));
        let hand = Arc::clone(&now);
        let clock = Clock::of(move || *hand.lock().unwrap());
        let full = fs::File::options().write(true).open("/dev/full").unwrap();
        let mut file = OutFile {
            writer: RecordWriter::new((Format::of(&path).unwrap().start)(), full),
            flushed: clock.now(),
            clock,
            path,
            failed: None,
        };
        end(&mut file, &graded("a", 1.0)).unwrap();
        *now.lock().unwrap() += FLUSH;
        let error = end(&mut file, &graded("b", 1.0)).unwrap_err();
        assert_eq!(error.source.kind(), io::ErrorKind::StorageFull);
        end(&mut file, &graded("c", 1.0)).unwrap();
        let again = file.finish_with(|_| panic!("committed")).unwrap_err();
        assert_eq!(again.to_string(), error.to_string());
    }
}
