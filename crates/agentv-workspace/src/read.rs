//! Reads regular files, and nothing else.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _};
use std::path::Path;

use crate::file_state::ContentDigest;

/// Opens a regular file, and returns its metadata, too. A link is not followed, and a pipe does not block.
pub(crate) fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits() as i32);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok((file, metadata))
}

/// Returns the digest of a regular file's content, read in pieces.
pub(crate) fn digest(path: &Path) -> io::Result<ContentDigest> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open_regular(path)?.0)?;
    Ok(hasher.finalize())
}

/// The largest file that is read as a whole to find out if it has changed.
const LARGEST: u64 = 1 << 30;
/// The bytes that are read at both ends of a larger one.
const END: u64 = 16 << 20;

/// Returns true if the digest of a file of this size is that of its whole content.
pub(crate) fn is_whole(size: u64) -> bool {
    size <= LARGEST
}

/// Returns a digest by which a change is recognised: that of the content, or for a very large file of both
/// its ends, its size and the time of its last change. An agent can make a file of any size without
/// writing it.
pub(crate) fn digest_of_state(path: &Path, metadata: &Metadata) -> io::Result<ContentDigest> {
    if is_whole(metadata.len()) {
        return digest(path);
    }
    let (mut file, _) = open_regular(path)?;
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file.by_ref().take(END))?;
    file.seek(io::SeekFrom::Start(metadata.len() - END))?;
    hasher.update_reader(file.take(END))?;
    hasher.update(format!("{} {:?}", metadata.len(), metadata.modified().ok()).as_bytes());
    Ok(hasher.finalize())
}

/// Returns the content of a regular file, or `None` if it is larger than `limit`.
pub(crate) fn content(path: &Path, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut content = Vec::new();
    let mut file = open_regular(path)?.0.take(limit + 1);
    file.read_to_end(&mut content)?;
    Ok((content.len() as u64 <= limit).then_some(content))
}
