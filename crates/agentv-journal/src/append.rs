//! Adding records to a file, whole or not at all.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;
use thiserror::Error;

use crate::fault;
use crate::file_error::cause;
use crate::lines::MAX_LINE;
use crate::recover::Recovery;
use crate::storage::{RunFile, Storage};

/// How long an appended record waits for the disk at most, while records are appended or
/// [`Append::sync_due`] is asked.
pub const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The buffer that a record of unusual size may leave behind.
const KEPT_BUFFER: usize = 1 << 20;

/// Adds records at the end of a file.
///
/// A record is one `write` call, so a process that is killed between two leaves whole records only.
/// (Killed during one, a record of many pages may be torn: opening the file again cuts it off.) A
/// write that fails is taken back: the file ends with the last whole record again, and appending goes
/// on when the cause is gone.
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use agentv_journal::{Append, SYNC_INTERVAL};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("results.jsonl");
/// let file = std::fs::File::options().create(true).append(true).open(&path)?;
/// let mut append = Append::new(file, 0, &path);
/// let now = Instant::now();
/// append.append(&[1, 2], now)?;
/// assert!(!append.sync_due(now));
/// assert!(append.sync_due(now + SYNC_INTERVAL));
/// append.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "[1,2]\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Append<S: Storage = RunFile> {
    storage: S,
    path: PathBuf,
    recovery: Recovery,
    /// Where the last whole record ends.
    length: u64,
    longest: u64,
    buffer: Vec<u8>,
    /// Bytes of a record that was given up may follow the last whole one.
    torn: bool,
    /// When the oldest record that is not synced was appended.
    unsynced: Option<Instant>,
    /// Whoever appends does not sync.
    defers_sync: bool,
    /// A sync failed: the system may have dropped what it could not write.
    unsafe_since_sync: bool,
}

/// Where an appended record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The byte at which the record begins.
    pub offset: u64,
    /// Its length, newline included.
    pub length: u64,
}

impl<S: Storage> Append<S> {
    /// Appends to `storage`, which holds whole records of `length` bytes in all. `path` is for
    /// messages.
    pub fn new(storage: S, length: u64, path: &Path) -> Append<S> {
        Append {
            storage,
            path: path.to_owned(),
            recovery: Recovery {
                kept: length,
                cut: 0,
            },
            length,
            longest: MAX_LINE,
            buffer: Vec::new(),
            torn: false,
            unsynced: None,
            defers_sync: false,
            unsafe_since_sync: false,
        }
    }

    /// Leaves syncing to [`Append::begin_sync`], so that nobody who appends waits for the disk.
    pub fn defer_sync(self) -> Append<S> {
        Append {
            defers_sync: true,
            ..self
        }
    }

    /// Notes what opening the file had to cut off.
    pub(crate) fn recovered(self, recovery: Recovery) -> Append<S> {
        Append { recovery, ..self }
    }

    /// Refuses records of more than `longest` bytes, newline included, in place of [`MAX_LINE`].
    pub fn limit(self, longest: u64) -> Append<S> {
        Append { longest, ..self }
    }

    /// What opening the file had to cut off.
    pub fn recovery(&self) -> Recovery {
        self.recovery
    }

    /// The bytes of all whole records.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds a record; syncs when the oldest unsynced one has waited for [`SYNC_INTERVAL`].
    ///
    /// # Errors
    /// [`AppendError::Record`] when the record cannot be written as one line: others still can.
    /// [`AppendError::Write`] when the file could not take it: it is not in the file, everything
    /// before it is. [`AppendError::Sync`] when the record is in the file, but may not survive power
    /// loss, nor do those since the last sync: nothing more is taken until the file is opened again.
    pub fn append<T: Serialize + ?Sized>(
        &mut self,
        record: &T,
        now: Instant,
    ) -> Result<Appended, AppendError> {
        self.refuse_after_failed_sync()?;
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, record)
            .map_err(|error| self.refused(error.to_string()))?;
        self.append_buffer(now)
    }

    /// As [`Append::append`], of a record that is JSON already.
    ///
    /// # Errors
    /// As [`Append::append`].
    pub fn append_json(&mut self, json: &[u8], now: Instant) -> Result<Appended, AppendError> {
        self.refuse_after_failed_sync()?;
        self.buffer.clear();
        self.buffer.extend_from_slice(json);
        self.append_buffer(now)
    }

    fn append_buffer(&mut self, now: Instant) -> Result<Appended, AppendError> {
        self.end_line()?;
        self.write_buffer().map_err(|source| AppendError::Write {
            path: self.path.clone(),
            kept: self.length,
            source,
        })?;
        let appended = Appended {
            offset: self.length,
            length: self.buffer.len() as u64,
        };
        self.length += appended.length;
        self.buffer.clear();
        self.buffer.shrink_to(KEPT_BUFFER);
        self.unsynced.get_or_insert(now);
        if !self.defers_sync && self.sync_due(now) {
            self.sync()?;
        }
        Ok(appended)
    }

    /// Whether a record has waited for [`SYNC_INTERVAL`] by now.
    pub fn sync_due(&self, now: Instant) -> bool {
        self.next_sync().is_some_and(|due| now >= due)
    }

    /// When the next sync is due; `None` when all is synced.
    pub fn next_sync(&self) -> Option<Instant> {
        self.unsynced.map(|oldest| oldest + SYNC_INTERVAL)
    }

    /// Makes all records survive power loss. Does nothing when they do.
    ///
    /// # Errors
    /// [`AppendError::Sync`], then and ever after: what a failed sync lost, a later one would not
    /// write, and its success would be a lie.
    pub fn sync(&mut self) -> Result<(), AppendError> {
        self.refuse_after_failed_sync()?;
        if self.unsynced.is_none() {
            return Ok(());
        }
        let synced = retried(|| self.storage.sync());
        if let Err(source) = synced {
            self.unsafe_since_sync = true;
            return Err(self.sync_error(source));
        }
        self.unsynced = None;
        Ok(())
    }

    /// Syncs and closes the file; gives back the storage.
    ///
    /// # Errors
    /// As [`Append::sync`], and [`AppendError::Write`] when bytes of a failed write are still there
    /// and cannot be cut off; opening the file again does.
    pub fn finish(mut self) -> Result<S, AppendError> {
        self.sync()?;
        self.cut().map_err(|source| AppendError::Write {
            path: self.path.clone(),
            kept: self.length,
            source,
        })?;
        Ok(self.storage)
    }

    fn refused(&self, reason: String) -> AppendError {
        AppendError::Record {
            path: self.path.clone(),
            reason,
        }
    }

    /// Makes the JSON in the buffer one line.
    fn end_line(&mut self) -> Result<(), AppendError> {
        // In JSON a bare newline is white space only; raw values may carry it along.
        if memchr::memchr(b'\n', &self.buffer).is_some() {
            let newlines = self.buffer.iter_mut().filter(|byte| **byte == b'\n');
            newlines.for_each(|byte| *byte = b' ');
        }
        self.buffer.push(b'\n');
        let length = self.buffer.len() as u64;
        if length > self.longest {
            self.buffer = Vec::new();
            let longest = self.longest;
            return Err(self.refused(format!(
                "{length} bytes are more than the {longest} that a line may have"
            )));
        }
        Ok(())
    }

    /// Writes the buffer or nothing.
    fn write_buffer(&mut self) -> io::Result<()> {
        self.cut()?;
        let Err(error) = self.write_all() else {
            return Ok(());
        };
        self.torn = true;
        // When this fails as well, the next append tries again before it writes.
        let _ = self.cut();
        Err(error)
    }

    fn write_all(&mut self) -> io::Result<()> {
        let mut written = 0;
        // One call in all but strange cases: a short write means that the disk is about full, and
        // only asking for the rest tells the reason.
        while written < self.buffer.len() {
            match retried(|| self.storage.write(&self.buffer[written..]))? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => written += count,
            }
        }
        Ok(())
    }

    /// Takes back what a failed write may have left.
    fn cut(&mut self) -> io::Result<()> {
        if self.torn {
            retried(|| self.storage.set_len(self.length))?;
            self.torn = false;
        }
        Ok(())
    }

    fn refuse_after_failed_sync(&self) -> Result<(), AppendError> {
        if self.unsafe_since_sync {
            return Err(self.sync_error(io::Error::other("an earlier sync failed")));
        }
        Ok(())
    }

    fn sync_error(&self, source: io::Error) -> AppendError {
        AppendError::Sync {
            path: self.path.clone(),
            source,
        }
    }
}

impl Append<RunFile> {
    /// Begins a sync that is waited for without this appender; `None` when all is synced. What came
    /// of it must be told to [`Append::end_sync`].
    ///
    /// # Errors
    /// [`AppendError::Sync`] when an earlier one failed, or the file cannot be shared.
    pub fn begin_sync(&mut self) -> Result<Option<PendingSync>, AppendError> {
        self.refuse_after_failed_sync()?;
        if self.unsynced.is_none() {
            return Ok(None);
        }
        let file = self
            .storage
            .share()
            .map_err(|error| self.sync_error(error))?;
        self.unsynced = None;
        Ok(Some(PendingSync(file)))
    }

    /// Takes note of what came of a sync.
    ///
    /// # Errors
    /// [`AppendError::Sync`] when it failed, then and ever after.
    pub fn end_sync(&mut self, synced: io::Result<()>) -> Result<(), AppendError> {
        synced.map_err(|source| {
            self.unsafe_since_sync = true;
            self.sync_error(source)
        })
    }
}

/// A sync that can be waited for while records are appended.
#[derive(Debug)]
#[must_use = "nothing is synced until it is waited for"]
pub struct PendingSync(File);

impl PendingSync {
    /// Waits until the disk has everything that was appended before the sync began.
    ///
    /// # Errors
    /// What the system said.
    pub fn wait(self) -> io::Result<()> {
        fault::step();
        retried(|| self.0.sync_data())
    }
}

/// Calls again when a signal came between.
fn retried<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Why a record is not safely in the file.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The record cannot be written as one line.
    #[error("a record cannot be added to `{}`: {reason}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong with the record.
        reason: String,
    },
    /// The file could not take the record, and ends with the one before it.
    #[error(
        "a record was not written to `{}`: {}{source}; nothing before it was lost",
        .path.display(),
        cause(.source)
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// The bytes of the records before.
        kept: u64,
        /// What the system said.
        source: io::Error,
    },
    /// The records since the last sync may not survive power loss.
    #[error(
        "the last records of `{}` may not survive a loss of power: {source}; \
         nothing before them was lost",
        .path.display()
    )]
    Sync {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl AppendError {
    /// Whether the disk or the user's share of it is full: freeing space helps.
    pub fn is_full(&self) -> bool {
        match self {
            AppendError::Record { .. } => false,
            AppendError::Write { source, .. } | AppendError::Sync { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::FileTooLarge
            ),
        }
    }
}
