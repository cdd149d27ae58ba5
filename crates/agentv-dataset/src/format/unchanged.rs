//! A file that is read more than once, and must be the same each time.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::time::SystemTime;

/// The marks by which a file is recognised as the one that was opened first, unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    length: u64,
    modified: Option<SystemTime>,
    place: (u64, u64),
}

impl Identity {
    pub(super) fn of(file: &File) -> io::Result<Identity> {
        let metadata = file.metadata()?;
        Ok(Identity {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            place: place_of(&metadata),
        })
    }

    /// Returns the size of the file in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }
}

#[cfg(unix)]
fn place_of(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
fn place_of(_: &Metadata) -> (u64, u64) {
    (0, 0)
}

/// A reader that fails as soon as the file has changed: cases that were not checked must not be used. A
/// file that is replaced or removed while it is open is still read to its end.
pub(super) struct Unchanged {
    file: File,
    was: Identity,
}

impl Unchanged {
    /// Returns a reader of the file.
    ///
    /// # Errors
    /// Fails if the file is not the one of `was`, or has changed since.
    pub(super) fn new(file: File, was: Identity) -> io::Result<Unchanged> {
        let unchanged = Unchanged { file, was };
        unchanged.check()?;
        Ok(unchanged)
    }

    fn check(&self) -> io::Result<()> {
        if Identity::of(&self.file)? == self.was {
            return Ok(());
        }
        Err(io::Error::other("it changed while it was being read"))
    }
}

impl Read for Unchanged {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        // Checked after reading: a change during the read is noticed.
        self.check()?;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};
    use std::io::Write;
    use std::path::Path;

    fn open(path: &Path) -> Unchanged {
        let file = File::open(path).unwrap();
        let was = Identity::of(&file).unwrap();
        Unchanged::new(file, was).unwrap()
    }

    #[test]
    fn what_is_appended_or_cut_off_meanwhile_is_no_end_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cases.jsonl");
        for length in [4, 12] {
            fs::write(&path, "12345678").unwrap();
            let mut reader = open(&path);
            assert_eq!(reader.read(&mut [0; 4]).unwrap(), 4);
            let mut changing = OpenOptions::new().append(true).open(&path).unwrap();
            match length {
                4 => changing.set_len(length).unwrap(),
                _ => changing.write_all(b"9abc").unwrap(),
            }
            assert!(reader.read_to_end(&mut Vec::new()).is_err());
        }
    }

    #[test]
    fn what_is_open_is_read_to_its_end_though_another_file_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cases.jsonl");
        fs::write(&path, "before").unwrap();
        let mut reader = open(&path);
        let was = reader.was;
        fs::write(folder.path().join("new"), "behind").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "before");
        let replaced = Unchanged::new(File::open(&path).unwrap(), was);
        assert!(replaced.is_err(), "opened again it is another");
    }
}
