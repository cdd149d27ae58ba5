//! The storage that an appender writes to: a file of a locked run folder, or a failing disk in a test.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use crate::fault;
use crate::folder::RecordFile;
use crate::lock::Lock;

/// The storage of an [`Append`](crate::Append). Each method is one system call, so that a test can make
/// any of them fail.
pub trait Storage {
    /// Appends bytes and returns how many were written, like `write(2)`.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
    /// Cuts the file to its first `length` bytes, like `ftruncate(2)`.
    fn set_len(&mut self, length: u64) -> io::Result<()>;
    /// Makes written bytes survive power loss, like `fdatasync(2)`.
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

/// A record file of a run folder, which is locked as long as the file is open.
#[derive(Debug)]
pub struct RunFile {
    file: File,
    name: RecordFile,
    lock: Arc<Lock>,
}

impl RunFile {
    /// Wraps a file that `lock` has registered as open.
    pub(crate) fn new(file: File, name: RecordFile, lock: Arc<Lock>) -> RunFile {
        RunFile { file, name, lock }
    }

    /// Clones the file handle, to sync while others append.
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
