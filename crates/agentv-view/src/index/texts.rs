//! The texts of an index: a file of entries, which is searched from the disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use memchr::memmem::Finder;
use memchr::{memchr, memrchr};

use super::pieces::read_part;

/// Ends an entry.
pub(crate) const END: u8 = 0;
/// Separates the parts of an entry.
pub(crate) const PART: u8 = 1;

/// The size of a read during a search.
const BLOCK: u64 = 1 << 20;
/// The size of the first read of an entry.
const SHORT: u64 = 1 << 10;

/// A file of texts, one entry after another.
#[derive(Debug)]
pub(crate) struct Texts {
    file: File,
    length: u64,
    /// The bytes at the end that are not in the file yet.
    pending: Vec<u8>,
}

impl Texts {
    /// Creates an empty file, in this folder or, if that is not possible, where temporary files are.
    pub(crate) fn create(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
        tempfile::NamedTempFile::new_in(folder).or_else(|_| tempfile::NamedTempFile::new())
    }

    /// Returns the texts in a file.
    pub(crate) fn in_file(file: File) -> io::Result<Texts> {
        let length = file.metadata()?.len();
        Ok(Texts {
            file,
            length,
            pending: Vec::new(),
        })
    }

    /// Returns the number of bytes.
    pub(crate) fn len(&self) -> u64 {
        self.length + self.pending.len() as u64
    }

    /// Appends complete entries.
    pub(crate) fn append(&mut self, entries: &[u8]) -> io::Result<()> {
        self.pending.extend_from_slice(entries);
        if self.pending.len() as u64 >= BLOCK {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes everything to the file.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.pending)?;
        self.length += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    /// Returns the entry at an offset, without its end.
    pub(crate) fn entry(&self, at: u64) -> io::Result<Vec<u8>> {
        if let Some(from) = at.checked_sub(self.length) {
            let rest = self.pending.get(from as usize..).unwrap_or_default();
            let end = memchr(END, rest).unwrap_or(rest.len());
            return Ok(rest[..end].to_vec());
        }
        let mut entry = Vec::new();
        let mut size = SHORT;
        loop {
            let until = (at + size).min(self.length);
            read_part(&self.file, at..until, &mut entry)?;
            if let Some(end) = memchr(END, &entry) {
                entry.truncate(end);
                return Ok(entry);
            }
            if until == self.length {
                return Ok(entry);
            }
            size *= 8;
        }
    }

    /// Calls a function with each entry: its offset, and its bytes without its end. Everything must have
    /// been written to the file.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(u64, &[u8])) -> io::Result<()> {
        self.blocks(&mut |from, block| {
            let mut start = 0;
            while let Some(length) = memchr(END, &block[start..]) {
                visit(from + start as u64, &block[start..start + length]);
                start += length + 1;
            }
        })
    }

    /// Returns the offsets of the entries that contain a text, in ascending order.
    pub(crate) fn search(&self, wanted: &str) -> io::Result<Vec<u64>> {
        let finder = Finder::new(wanted);
        let mut found = Vec::new();
        self.blocks(&mut |from, block| {
            let mut start = 0;
            while let Some(hit) = finder.find(&block[start..]) {
                let hit = start + hit;
                let entry = memrchr(END, &block[..hit]).map_or(0, |end| end + 1);
                found.push(from + entry as u64);
                let Some(end) = memchr(END, &block[hit..]) else {
                    break;
                };
                start = hit + end + 1;
            }
        })?;
        Ok(found)
    }

    /// Calls a function with blocks of whole entries and their offsets.
    fn blocks(&self, visit: &mut dyn FnMut(u64, &[u8])) -> io::Result<()> {
        let mut block = Vec::new();
        let (mut at, mut size) = (0, BLOCK);
        while at < self.length {
            let until = (at + size).min(self.length);
            read_part(&self.file, at..until, &mut block)?;
            let Some(end) = memrchr(END, &block) else {
                if until == self.length {
                    break;
                }
                size *= 2;
                continue;
            };
            visit(at, &block[..=end]);
            at += end as u64 + 1;
            size = BLOCK;
        }
        Ok(())
    }
}
