//! The state of one entry of a folder.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::SystemTime;

/// The digest of a file's content.
pub(crate) type ContentDigest = blake3::Hash;

/// The state of an entry that is not a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileState {
    /// A regular file.
    File(FileContent),
    /// A symbolic link, with its target as written. It is never followed.
    Link(PathBuf),
    /// A pipe, a socket or a device. It is never opened.
    Special,
    /// A file or folder that cannot be read, not even after its owner's permissions were restored.
    Unreadable,
}

/// The content of a regular file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileContent {
    pub(crate) digest: ContentDigest,
    pub(crate) size: u64,
    pub(crate) executable: bool,
}

/// The metadata by which an unchanged file is recognised without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// The time of the last change of content or metadata. Programs cannot set it.
    changed: Option<(i64, i64)>,
}

/// The clock of a file system may stand still for this long: a file that was changed within this time
/// before a snapshot may change once more and keep its stamp.
const CLOCK_TICK_NANOSECONDS: i128 = 50_000_000;

impl Stamp {
    #[cfg(unix)]
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        use std::os::unix::fs::MetadataExt as _;
        Stamp {
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: Some((metadata.ctime(), metadata.ctime_nsec())),
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        let since = modified.duration_since(SystemTime::UNIX_EPOCH);
        let since = since.unwrap_or_default();
        Stamp {
            inode: 0,
            size: metadata.len(),
            modified: (since.as_secs() as i64, i64::from(since.subsec_nanos())),
            changed: None,
        }
    }

    /// Returns true if an equal stamp after `moment` proves that the file has not changed since then.
    pub(crate) fn is_reliable_at(&self, moment: SystemTime) -> bool {
        let Some((seconds, nanoseconds)) = self.changed else {
            return false;
        };
        let changed = i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds);
        let moment = moment.duration_since(SystemTime::UNIX_EPOCH);
        moment.is_ok_and(|moment| changed + CLOCK_TICK_NANOSECONDS < moment.as_nanos() as i128)
    }
}

/// Returns true if the owner may execute a file.
#[cfg(unix)]
pub(crate) fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

/// Returns true if the owner may execute a file.
#[cfg(not(unix))]
pub(crate) fn is_executable(_metadata: &Metadata) -> bool {
    false
}
