//! The rows of one piece of a file, made by one thread.

use std::fs::File;
use std::io;
use std::ops::Range;

use agentv_report::{Divided, TranscriptQuestion, excerpt};
use memchr::memchr;

use super::joins::DigestKey;
use super::names::Names;
use super::pieces::{LONGEST_LINE, read_part};
use super::result_line::{ResultLine, SEARCHED, Words, push_plain};
use super::row::{Row, TranscriptPlace};
use super::texts::{END, PART};

/// The number of bytes of a question in a list.
const QUESTION: usize = 200;

/// The results in a piece of their file. Offsets of words count from the start of `words`.
#[derive(Debug, Default)]
pub(crate) struct ResultsPart {
    pub(crate) rows: Vec<Row>,
    pub(crate) keys: Vec<ResultKeys>,
    pub(crate) words: Vec<u8>,
    pub(crate) names: Names,
    pub(crate) read: Read,
}

/// Digests that say which trial a result belongs to, and which transcript belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResultKeys {
    pub(crate) trial: u64,
    /// Of its answer key and its case.
    pub(crate) own: u64,
    /// Of its answer key, if the target gave an answer.
    pub(crate) answer: Option<u64>,
}

/// The transcripts in a piece of their file. Offsets of questions count from the start of `questions`.
#[derive(Debug, Default)]
pub(crate) struct TranscriptsPart {
    pub(crate) places: Vec<TranscriptPlace>,
    /// Digests of the answer key and the case, and of the answer key alone.
    pub(crate) keys: Vec<(u64, u64)>,
    pub(crate) cut: Vec<bool>,
    pub(crate) questions: Vec<u8>,
    pub(crate) read: Read,
}

/// The part of a file that was read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Read {
    /// The offset after its last complete line.
    pub(crate) end: u64,
    /// The number of lines that are not records.
    pub(crate) damaged: u64,
}

/// The results of a file, in pieces.
pub(crate) struct ResultPieces<'a> {
    pub(crate) file: &'a File,
    pub(crate) key: &'a DigestKey,
}

impl Divided for ResultPieces<'_> {
    type Item = Range<u64>;
    type Worker = Vec<u8>;
    type Output = ResultsPart;
    type Error = io::Error;

    fn worker(&self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn make(&self, buffer: &mut Vec<u8>, piece: &Range<u64>) -> io::Result<ResultsPart> {
        let mut part = ResultsPart::default();
        part.read = each_line(self.file, piece, buffer, &mut |at, line| {
            let Ok(result) = serde_json::from_slice::<ResultLine<'_>>(line) else {
                return false;
            };
            part.add(at, line.len() as u32, &result, self.key);
            true
        })?;
        Ok(part)
    }
}

impl ResultsPart {
    fn add(&mut self, at: u64, length: u32, result: &ResultLine<'_>, key: &DigestKey) {
        let mut row = result.row(&mut self.names);
        row.at = at;
        row.length = length;
        row.words = self.words.len() as u64;
        row.set_cut(result.append_words(&mut self.words));
        self.rows.push(row);
        let ResultLine {
            eval_file,
            eval_id,
            target,
            trial,
            answer_key,
            ..
        } = result;
        let has_answer = result.candidate_answer.is_some();
        self.keys.push(ResultKeys {
            trial: key.digest((eval_file, eval_id, target, trial)),
            own: key.digest((answer_key, eval_id)),
            answer: has_answer.then(|| key.digest(answer_key)),
        });
    }
}

/// The transcripts of a file, in pieces.
pub(crate) struct TranscriptPieces<'a> {
    pub(crate) file: &'a File,
    pub(crate) key: &'a DigestKey,
}

impl Divided for TranscriptPieces<'_> {
    type Item = Range<u64>;
    type Worker = Vec<u8>;
    type Output = TranscriptsPart;
    type Error = io::Error;

    fn worker(&self) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn make(&self, buffer: &mut Vec<u8>, piece: &Range<u64>) -> io::Result<TranscriptsPart> {
        let mut part = TranscriptsPart::default();
        part.read = each_line(self.file, piece, buffer, &mut |at, line| {
            let Some(asked) = TranscriptQuestion::at_start_of(line) else {
                return false;
            };
            part.add(at, line.len() as u32, &asked, self.key);
            true
        })?;
        Ok(part)
    }
}

impl TranscriptsPart {
    fn add(&mut self, at: u64, length: u32, asked: &TranscriptQuestion<'_>, key: &DigestKey) {
        self.places.push(TranscriptPlace {
            at,
            length,
            question: self.questions.len() as u64,
        });
        let question = asked.question();
        push_plain(&excerpt(&question, QUESTION), &mut self.questions);
        self.questions.push(PART);
        let mut words = Words {
            to: &mut self.questions,
            room: SEARCHED,
            is_cut: false,
        };
        words.push(&question);
        self.cut.push(words.is_cut);
        self.questions.push(END);
        let own = key.digest((&asked.answer_key, &asked.eval_id));
        self.keys.push((own, key.digest(&asked.answer_key)));
    }
}

/// Calls a function with each complete line of a piece and its offset; it returns false if the line is
/// not a record.
fn each_line(
    file: &File,
    piece: &Range<u64>,
    buffer: &mut Vec<u8>,
    visit: &mut dyn FnMut(u64, &[u8]) -> bool,
) -> io::Result<Read> {
    if piece.end - piece.start > LONGEST_LINE {
        let (end, damaged) = (piece.end, 1);
        return Ok(Read { end, damaged });
    }
    read_part(file, piece.clone(), buffer)?;
    let mut read = Read {
        end: piece.start,
        damaged: 0,
    };
    let mut start = 0;
    while let Some(length) = memchr(b'\n', &buffer[start..]) {
        let line = &buffer[start..start + length];
        let is_blank = line.trim_ascii().is_empty();
        if !is_blank && !visit(piece.start + start as u64, line) {
            read.damaged += 1;
        }
        start += length + 1;
        read.end = piece.start + start as u64;
    }
    Ok(read)
}
