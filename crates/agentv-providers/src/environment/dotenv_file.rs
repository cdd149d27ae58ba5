//! The bytes of a `.env` file, which may be a pipe that a password manager fills.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// The most bytes that a `.env` file may have.
const LARGEST: u64 = 16 << 20;
/// The time within which something must be written into a pipe.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the content of a file, or what is written into a pipe in time.
///
/// # Errors
/// If the file cannot be read, is too large, or is neither a file nor a pipe, or if nothing is written
/// into the pipe.
pub(crate) fn content_of(path: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?.file_type();
    if found.is_file() {
        return read(path);
    }
    if !is_pipe(found) {
        return Err(io::Error::other("it is not a regular file"));
    }
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    // Opening a pipe waits for the other side and cannot be interrupted.
    thread::spawn(move || sender.send(read(&path)));
    let nobody = |_| io::Error::other("it is a pipe, and nothing was written to it");
    receiver.recv_timeout(PATIENCE).map_err(nobody)?
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        Err(io::Error::other("it is larger than 16 MiB"))
    } else {
        Ok(bytes)
    }
}

#[cfg(unix)]
fn is_pipe(found: fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found)
}

#[cfg(not(unix))]
fn is_pipe(_: fs::FileType) -> bool {
    false
}
