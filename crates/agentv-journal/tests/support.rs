//! Folders, records, failing disks and child processes for the tests.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use agentv_journal::{FileError, Line, Reader, RecordFile, RunFolder, Storage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sample {
    pub(crate) key: String,
    pub(crate) timestamp: String,
    pub(crate) text: String,
}

pub(crate) fn sample(number: u64) -> Sample {
    Sample {
        key: format!("key-{number}"),
        timestamp: format!("2026-11-15T10:43:{:02}Z", number % 60),
        text: format!("answer {number}: “naïve”\n\u{1F600}\0"),
    }
}

pub(crate) fn now() -> Timestamp {
    "2026-11-15T10:43:07.309Z".parse().unwrap()
}

/// A run folder in a folder that is removed at the end.
pub(crate) fn run() -> (TempDir, RunFolder) {
    let root = tempfile::tempdir().unwrap();
    let folder = RunFolder::create_at(&root.path().join("results"), now()).unwrap();
    (root, folder)
}

pub(crate) fn results(folder: &RunFolder) -> PathBuf {
    folder.file(RecordFile::Results)
}

/// Returns the records of a file, and the numbers of its damaged lines.
pub(crate) fn read(path: &Path) -> (Vec<Sample>, Vec<u64>) {
    split(Reader::open(path).unwrap())
}

pub(crate) fn split<T>(
    lines: impl Iterator<Item = Result<Line<T>, FileError>>,
) -> (Vec<T>, Vec<u64>) {
    let (mut records, mut damaged) = (Vec::new(), Vec::new());
    for line in lines {
        match line.unwrap() {
            Line::Record(record) => records.push(record.value),
            Line::Damaged(damage) => damaged.push(damage.line),
        }
    }
    (records, damaged)
}

/// Returns a line of the file as text.
pub(crate) fn line(record: &Sample) -> String {
    format!("{}\n", serde_json::to_string(record).unwrap())
}

/// The fault of a call to the disk.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// Writes only this many bytes.
    Short(usize),
    /// Writes nothing and reports no error.
    Zero,
    Error(i32),
    Interrupted,
}

/// A disk that fails on request, in front of a real file.
#[derive(Debug, Default, Clone)]
pub(crate) struct Faults(Rc<RefCell<Script>>);

#[derive(Debug, Default)]
pub(crate) struct Script {
    /// The faults of the next writes; later ones work.
    pub(crate) writes: Vec<Fault>,
    pub(crate) cuts: Vec<Fault>,
    pub(crate) syncs: Vec<Fault>,
    /// The free space in bytes.
    pub(crate) room: Option<u64>,
    /// The number of bytes after which the process is dead and nothing has an effect.
    pub(crate) dies_after: Option<u64>,
    pub(crate) write_calls: u64,
    pub(crate) sync_calls: u64,
}

impl Faults {
    pub(crate) fn script(&self) -> std::cell::RefMut<'_, Script> {
        self.0.borrow_mut()
    }

    pub(crate) fn on(&self, file: File) -> FaultyFile {
        FaultyFile {
            file,
            faults: self.clone(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct FaultyFile {
    file: File,
    faults: Faults,
}

fn next(faults: &mut Vec<Fault>) -> io::Result<Option<usize>> {
    if faults.is_empty() {
        return Ok(None);
    }
    match faults.remove(0) {
        Fault::Short(bytes) => Ok(Some(bytes)),
        Fault::Zero => Ok(Some(0)),
        Fault::Error(code) => Err(io::Error::from_raw_os_error(code)),
        Fault::Interrupted => Err(ErrorKind::Interrupted.into()),
    }
}

pub(crate) const ENOSPC: i32 = 28;
pub(crate) const EDQUOT: i32 = 122;
pub(crate) const EIO: i32 = 5;

impl Storage for FaultyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut script = self.faults.script();
        script.write_calls += 1;
        let mut taken = next(&mut script.writes)?.unwrap_or(bytes.len());
        for limit in [script.room, script.dies_after].into_iter().flatten() {
            taken = taken.min(limit as usize);
        }
        if taken == 0 && script.room == Some(0) {
            return Err(io::Error::from_raw_os_error(ENOSPC));
        }
        if taken == 0 && script.dies_after == Some(0) {
            return Err(io::Error::other("dead"));
        }
        let written = Storage::write(&mut self.file, &bytes[..taken.min(bytes.len())])?;
        script.room = script.room.map(|left| left - written as u64);
        script.dies_after = script.dies_after.map(|left| left - written as u64);
        Ok(written)
    }

    fn set_len(&mut self, length: u64) -> io::Result<()> {
        let mut script = self.faults.script();
        if script.dies_after == Some(0) {
            return Err(io::Error::other("dead"));
        }
        next(&mut script.cuts)?;
        Storage::set_len(&mut self.file, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut script = self.faults.script();
        script.sync_calls += 1;
        next(&mut script.syncs)?;
        Storage::sync(&mut self.file)
    }
}

/// Runs a test of this program in its own process. The test does its part if it finds
/// `AGENTV_JOURNAL_CHILD`, which is `argument`, and nothing otherwise.
pub(crate) fn child(test: &str, argument: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env("AGENTV_JOURNAL_CHILD", argument)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    command
}

/// Returns the argument of [`child`], in the child.
pub(crate) fn child_argument() -> Option<PathBuf> {
    std::env::var_os("AGENTV_JOURNAL_CHILD").map(PathBuf::from)
}
