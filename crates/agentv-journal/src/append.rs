//! Appending records to a file, each one completely or not at all.

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

/// The longest time between appending a record and syncing it, as long as records are appended or
/// [`Append::sync_due`] is polled.
pub const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// The largest buffer that is kept after a long record.
const KEPT_BUFFER: usize = 1 << 20;

/// A file to which records are appended.
///
/// A record is one `write` call, so a process that is killed between two calls leaves only complete
/// records. (A kill during a call may tear a record of many pages; opening the file again cuts it
/// off.) A failed write is undone: the file ends with the last complete record again, and appending
/// continues once the cause is gone.
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
    /// The end of the last complete record.
    length: u64,
    longest: u64,
    buffer: Vec<u8>,
    /// True if bytes of a failed write may follow the last complete record.
    torn: bool,
    /// The time at which the oldest unsynced record was appended.
    unsynced: Option<Instant>,
    /// True if appending never syncs.
    defers_sync: bool,
    /// True if a sync failed: the system may have dropped the data.
    unsafe_since_sync: bool,
}

/// The position of an appended record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length, newline included.
    pub length: u64,
}

impl<S: Storage> Append<S> {
    /// Appends to `storage`, which holds complete records of `length` bytes in total. `path` is for
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

    /// Leaves syncing to [`Append::begin_sync`], so that appending never waits for the disk.
    pub fn defer_sync(self) -> Append<S> {
        Append {
            defers_sync: true,
            ..self
        }
    }

    /// Stores the result of the recovery that opened the file.
    pub(crate) fn recovered(self, recovery: Recovery) -> Append<S> {
        Append { recovery, ..self }
    }

    /// Refuses records of more than `longest` bytes, newline included (default: [`MAX_LINE`]).
    pub fn limit(self, longest: u64) -> Append<S> {
        Append { longest, ..self }
    }

    /// Returns the result of the recovery that opened the file.
    pub fn recovery(&self) -> Recovery {
        self.recovery
    }

    /// Returns the length of all complete records in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Appends a record, and syncs if the oldest unsynced one has waited for [`SYNC_INTERVAL`].
    ///
    /// # Errors
    /// [`AppendError::Record`] when the record cannot be written as one line; other records can.
    /// [`AppendError::Write`] when the write failed: the record is not in the file, everything before
    /// it is. [`AppendError::Sync`] when the record is in the file, but it and all records since the
    /// last sync may not survive power loss; the file must be opened again to append more.
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

    /// Appends a record that is already JSON.
    ///
    /// # Errors
    /// The same as [`Append::append`].
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

    /// Checks if a record has waited for [`SYNC_INTERVAL`].
    pub fn sync_due(&self, now: Instant) -> bool {
        self.next_sync().is_some_and(|due| now >= due)
    }

    /// Returns the time at which the next sync is due, or `None` if everything is synced.
    pub fn next_sync(&self) -> Option<Instant> {
        self.unsynced.map(|oldest| oldest + SYNC_INTERVAL)
    }

    /// Makes all records survive power loss. Does nothing if they already do.
    ///
    /// # Errors
    /// [`AppendError::Sync`], now and on every later call: a later sync would not write the data
    /// that a failed one lost, so its success would mean nothing.
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

    /// Syncs and closes the file; returns the storage.
    ///
    /// # Errors
    /// The same as [`Append::sync`], and [`AppendError::Write`] when bytes of a failed write cannot be
    /// cut off; opening the file again does that.
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

    /// Makes the JSON in the buffer a single line.
    fn end_line(&mut self) -> Result<(), AppendError> {
        // A bare newline in JSON is white space; raw values may contain it.
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
                "it has {length} bytes, and the maximum is {longest}"
            )));
        }
        Ok(())
    }

    /// Writes the whole buffer or nothing.
    fn write_buffer(&mut self) -> io::Result<()> {
        self.cut()?;
        let Err(error) = self.write_all() else {
            return Ok(());
        };
        self.torn = true;
        // If this fails too, the next append tries again before it writes.
        let _ = self.cut();
        Err(error)
    }

    fn write_all(&mut self) -> io::Result<()> {
        let mut written = 0;
        // This is almost always one call. A short write means that the disk is nearly full, and only
        // writing the rest returns the reason.
        while written < self.buffer.len() {
            match retried(|| self.storage.write(&self.buffer[written..]))? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                count => written += count,
            }
        }
        Ok(())
    }

    /// Cuts off the bytes that a failed write may have left.
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
    /// Begins a sync that can be awaited without this appender, or returns `None` if everything is
    /// synced. Its result must be passed to [`Append::end_sync`].
    ///
    /// # Errors
    /// [`AppendError::Sync`] when an earlier sync failed, or the file handle cannot be cloned.
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

    /// Records the result of a sync.
    ///
    /// # Errors
    /// [`AppendError::Sync`] when it failed, now and on every later call.
    pub fn end_sync(&mut self, synced: io::Result<()>) -> Result<(), AppendError> {
        synced.map_err(|source| {
            self.unsafe_since_sync = true;
            self.sync_error(source)
        })
    }
}

/// A sync that can be awaited while records are appended.
#[derive(Debug)]
#[must_use = "nothing is synced until `wait` is called"]
pub struct PendingSync(File);

impl PendingSync {
    /// Waits until everything that was appended before the sync began is on disk.
    ///
    /// # Errors
    /// The error of the system.
    pub fn wait(self) -> io::Result<()> {
        fault::step();
        retried(|| self.0.sync_data())
    }
}

/// Repeats a call that a signal interrupted.
fn retried<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// The reason why a record is not safely in the file.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The record cannot be written as one line.
    #[error("cannot add a record to `{}`: {reason}", .path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The problem with the record.
        reason: String,
    },
    /// The record could not be written; the file ends with the record before it.
    #[error(
        "cannot write a record to `{}`: {}{source}; all earlier records are safe",
        .path.display(),
        cause(.source)
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// The length of the records before it, in bytes.
        kept: u64,
        /// The error of the system.
        source: io::Error,
    },
    /// The records since the last sync may not survive power loss.
    #[error(
        "the last records of `{}` may not survive a power loss: {source}; all earlier records \
         are safe",
        .path.display()
    )]
    Sync {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl AppendError {
    /// Checks if the disk or the user's quota is full, so that freeing space helps.
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
