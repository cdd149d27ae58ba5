//! An index on disk, beside its run.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use agentv_journal::{RecordFile, RunFolder};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::names::Names;
use super::part::Read;
use super::row::{Row, TranscriptPlace};
use super::run_index::{RunIndex, opened};
use super::stamp::FileStamp;
use super::texts::Texts;
use crate::platform::create_private_folders;

/// The version of the format. An index of another version is built again.
const FORMAT: u32 = 3;
/// The number of rows that are read or written at once.
const BLOCK: usize = 4096;

/// The first line of an index. Rows and places follow as bytes.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    format: u32,
    stamps: [FileStamp; 2],
    rows: usize,
    places: usize,
    words: u64,
    questions: u64,
    damaged: [u64; 2],
    names: Names,
}

/// Returns the path of a file of a run's index.
fn path(kept: &Path, run: &RunFolder, extension: &str) -> PathBuf {
    kept.join(format!("{}.{extension}", run.id()))
}

/// Creates the folder for indexes, readable only by the user.
pub(super) fn create_folder(kept: &Path) -> io::Result<()> {
    create_private_folders(kept)?;
    let ignored = kept.join(".gitignore");
    if ignored.exists() {
        Ok(())
    } else {
        fs::write(ignored, "*\n")
    }
}

/// Keeps an index. Its texts take their places first, so that a stored index always finds its texts.
///
/// The files are not forced to the disk, which would take longer than building the index. An index that is
/// incomplete after a power failure does not have the lengths in its head, and is built again.
pub(super) fn keep(
    index: &RunIndex,
    kept: &Path,
    words: NamedTempFile,
    questions: NamedTempFile,
) -> io::Result<()> {
    let head = Head {
        format: FORMAT,
        stamps: index.stamps.clone(),
        rows: index.rows.len(),
        places: index.places.len(),
        words: index.words.len(),
        questions: index.questions.len(),
        damaged: [index.results.damaged, index.transcripts.damaged],
        names: index.names.clone(),
    };
    words.persist(path(kept, &index.run, "words"))?;
    questions.persist(path(kept, &index.run, "questions"))?;
    let mut file = NamedTempFile::new_in(kept)?;
    let mut out = BufWriter::new(file.as_file_mut());
    serde_json::to_writer(&mut out, &head)?;
    out.write_all(b"\n")?;
    write_all(&mut out, &index.rows, Row::encode)?;
    write_all(&mut out, &index.places, TranscriptPlace::encode)?;
    out.flush()?;
    drop(out);
    file.persist(path(kept, &index.run, "index"))?;
    Ok(())
}

/// Loads the index of a run, if there is one and the run has not changed since.
pub(super) fn load(run: &RunFolder, kept: &Path) -> Option<RunIndex> {
    let mut file = BufReader::with_capacity(1 << 20, opened(&path(kept, run, "index")).ok()??);
    let mut line = Vec::new();
    file.read_until(b'\n', &mut line).ok()?;
    let head: Head = serde_json::from_slice(&line).ok()?;
    if head.format != FORMAT || head.stamps != stamps_now(run, &head.stamps).ok()? {
        return None;
    }
    let texts = |extension, length| {
        let texts = Texts::in_file(opened(&path(kept, run, extension)).ok()??).ok()?;
        (texts.len() == length).then_some(texts)
    };
    let (words, questions) = (
        texts("words", head.words)?,
        texts("questions", head.questions)?,
    );
    let read = |at: usize| Read {
        end: head.stamps[at].read,
        damaged: head.damaged[at],
    };
    Some(RunIndex {
        rows: read_all(&mut file, head.rows, Row::BYTES, Row::decode)?,
        places: read_all(
            &mut file,
            head.places,
            TranscriptPlace::BYTES,
            TranscriptPlace::decode,
        )?,
        run: run.clone(),
        words,
        questions,
        results: read(0),
        transcripts: read(1),
        names: head.names,
        stamps: head.stamps,
        joins: None,
        version: 1,
    })
}

/// Returns the stamps that the files of a run would have now.
fn stamps_now(run: &RunFolder, before: &[FileStamp; 2]) -> io::Result<[FileStamp; 2]> {
    let stamp = |name: RecordFile, before: &FileStamp| {
        let file: Option<File> = opened(&run.file(name))?;
        FileStamp::of(file.as_ref(), before.read)
    };
    Ok([
        stamp(RecordFile::Results, &before[0])?,
        stamp(RecordFile::Transcripts, &before[1])?,
    ])
}

fn write_all<T>(
    out: &mut impl Write,
    values: &[T],
    encode: impl Fn(&T, &mut Vec<u8>),
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for block in values.chunks(BLOCK) {
        bytes.clear();
        block.iter().for_each(|value| encode(value, &mut bytes));
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads as many values as the head says; `None` if the file is too short.
fn read_all<T>(
    file: &mut impl io::Read,
    count: usize,
    size: usize,
    decode: impl Fn(&[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    let mut values = Vec::with_capacity(count);
    let mut bytes = vec![0; BLOCK * size];
    while values.len() < count {
        let block = &mut bytes[..size * BLOCK.min(count - values.len())];
        file.read_exact(block).ok()?;
        for value in block.chunks_exact(size) {
            values.push(decode(value)?);
        }
    }
    Some(values)
}
