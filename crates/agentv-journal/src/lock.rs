//! The lock of a run folder, which names its holder.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::fault;
use crate::file_error::FileError;
use crate::folder::RecordFile;
use crate::open::{open_to_read, open_to_write};

const FILE: &str = "lock";

/// The lock of a run folder, held until it is dropped or the process ends for any reason.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    path: PathBuf,
    open: Mutex<Vec<RecordFile>>,
}

/// The holder of a run folder's lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// The id of the process.
    pub process: u32,
    /// The time at which it took the lock.
    pub since: Timestamp,
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "process {} (since {})", self.process, self.since)
    }
}

/// The reason why a lock was not acquired.
#[derive(Debug)]
pub(crate) enum LockError {
    /// Another writer has it; its name, if it has been written.
    Held(Option<Holder>),
    File(FileError),
}

impl Lock {
    pub(crate) fn acquire(folder: &Path, now: Timestamp) -> Result<Lock, LockError> {
        let path = folder.join(FILE);
        let failed = |error| LockError::File(FileError::of("lock", &path)(error));
        loop {
            fault::step();
            let mut options = disk::private_file();
            options.read(true).write(true).truncate(false);
            let mut file = open_to_write(&mut options, &path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::Held(holder(&mut file))),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            // Between opening and locking, the previous holder may have removed the file. Then this
            // lock excludes no other process.
            if is_still_at(&file, &path).map_err(failed)? {
                // Only a message depends on it, and a full disk must not prevent a resume.
                let _ = introduce(&mut file, now);
                let open = Mutex::default();
                return Ok(Lock { file, path, open });
            }
        }
    }

    /// Checks if another process holds the lock of a folder, without creating or writing anything.
    pub(crate) fn is_held(folder: &Path) -> bool {
        let Ok(file) = open_to_read(&folder.join(FILE)) else {
            return false;
        };
        // A shared lock, so that readers do not exclude each other, and a writer only for a moment.
        matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))
    }

    /// Registers a file as open for writing; returns false if it already was.
    pub(crate) fn opened(&self, name: RecordFile) -> bool {
        let mut open = self.open.lock().unwrap_or_else(|error| error.into_inner());
        let free = !open.contains(&name);
        if free {
            open.push(name);
        }
        free
    }

    /// Registers a file as closed.
    pub(crate) fn closed(&self, name: RecordFile) {
        let mut open = self.open.lock().unwrap_or_else(|error| error.into_inner());
        open.retain(|other| *other != name);
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is locked, so it is never the file of another holder.
        if cfg!(unix) {
            fault::step();
            let _ = fs::remove_file(&self.path);
        }
        let _ = self.file.unlock();
    }
}

/// The content of the lock file.
#[derive(Serialize, Deserialize)]
struct Introduction {
    process: u32,
    since: String,
}

fn introduce(file: &mut File, now: Timestamp) -> io::Result<()> {
    let introduction = serde_json::to_vec(&Introduction {
        process: std::process::id(),
        since: now.to_string(),
    })?;
    fault::step();
    file.set_len(0)?;
    file.rewind()?;
    fault::write(file, &introduction);
    file.write_all(&introduction)
}

fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.take(1 << 12).read_to_string(&mut text).ok()?;
    let Introduction { process, since } = serde_json::from_str(&text).ok()?;
    let since = since.parse().ok()?;
    Some(Holder { process, since })
}

#[cfg(unix)]
fn is_still_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let locked = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((locked.dev(), locked.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// On other systems the file is never removed.
#[cfg(not(unix))]
fn is_still_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}
