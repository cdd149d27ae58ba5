//! What an appender writes to: a file of a locked run folder, or a test's idea of a failing disk.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use crate::fault;
use crate::folder::RecordFile;
use crate::lock::Lock;

/// Where [`Append`](crate::Append) puts bytes. Calls map one to one to system calls, so that a test
/// can fail any of them.
pub trait Storage {
    /// Adds bytes at the end; says how many it took. Like `write(2)`.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Cuts the file to its first `length` bytes. Like `ftruncate(2)`.
    fn set_len(&mut self, length: u64) -> io::Result<()>;
    /// Makes what was written survive power loss. Like `fdatasync(2)`.
    fn sync(&mut self) -> io::Result<()>;
}

/// The file must be open for appending.
impl Storage for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Write::write(self, bytes)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        File::set_len(self, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

impl<S: Storage + ?Sized> Storage for Box<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (**self).write(bytes)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        (**self).set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }
}

/// A record file of a run folder. As long as it is open, the folder is locked.
#[derive(Debug)]
pub struct RunFile {
    file: File,
    name: RecordFile,
    lock: Arc<Lock>,
}

impl RunFile {
    /// `lock` has noted that `name` is open.
    pub(crate) fn new(file: File, name: RecordFile, lock: Arc<Lock>) -> RunFile {
        RunFile { file, name, lock }
    }

    /// The same open file once more, to sync it while others append.
    pub(crate) fn share(&self) -> io::Result<File> {
        self.file.try_clone()
    }
}

impl Drop for RunFile {
    fn drop(&mut self) {
        self.lock.closed(self.name);
    }
}

impl Storage for RunFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault::write(&mut self.file, bytes);
        Storage::write(&mut self.file, bytes)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        fault::step();
        Storage::set_len(&mut self.file, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        fault::step();
        Storage::sync(&mut self.file)
    }
}
