//! JSON Lines: one case per line, plain or compressed, read in chunks on all cores.

use std::io::Read;
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use agentv_syntax::{Code, Diagnostic, Node, NodeKind, Problem, Tree, json};

use super::chunks::{Buffer, ChunkError, ChunkPlace, Chunks, LONGEST_LINE};
use super::row::Origin;
use super::unchanged::{Identity, Unchanged};
use super::unpacked::Unpacked;
use super::{
    EvalSource, Findings, FormatKind, Inspect, Row, Rows, Scratch, WrittenRow, open_regular,
    unreadable,
};
use crate::unsaved::{Outdated, UnsavedTexts};

pub(super) const FORMAT: FormatKind = FormatKind {
    extensions: &[".jsonl", ".jsonl.gz", ".jsonl.zst"],
    has_sidecar: true,
    needs_sidecar: false,
    open: |path, file, unsaved| Ok(Box::new(JsonLines::open(path, file, unsaved)?)),
};

/// A JSON Lines file; nothing of it is kept in memory.
struct JsonLines {
    path: PathBuf,
    file: Arc<str>,
    content: Content,
}

/// The content of a file, which is the same each time that it is read.
enum Content {
    OnDisk(Identity),
    Unsaved(Arc<String>, Outdated),
}

/// A reader of a text in memory, which ends when the text is out of date.
struct TextReader {
    text: Arc<String>,
    at: usize,
    outdated: Outdated,
}

impl Read for TextReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.outdated.is_set() {
            return Ok(0);
        }
        let mut rest = &self.text.as_bytes()[self.at..];
        let read = rest.read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

impl JsonLines {
    fn open(path: &Path, file: &Arc<str>, unsaved: &UnsavedTexts) -> Result<JsonLines, Diagnostic> {
        let content = match unsaved.of(path) {
            Some(text) => Content::Unsaved(Arc::clone(text), unsaved.outdated().clone()),
            None => {
                let opened = open_regular(path, file)?;
                let identity = Identity::of(&opened);
                Content::OnDisk(identity.map_err(|error| unreadable(file, &error))?)
            }
        };
        Ok(JsonLines {
            path: path.to_owned(),
            file: Arc::clone(file),
            content,
        })
    }

    fn chunks(&self) -> Result<Chunks, Diagnostic> {
        let opened = match &self.content {
            Content::OnDisk(opened) => *opened,
            Content::Unsaved(text, outdated) => {
                return Ok(Chunks::new(Box::new(TextReader {
                    text: Arc::clone(text),
                    at: 0,
                    outdated: outdated.clone(),
                })));
            }
        };
        let input = open_regular(&self.path, &self.file)?;
        let input =
            Unchanged::new(input, opened).map_err(|error| unreadable(&self.file, &error))?;
        let extension = self.path.extension().and_then(|name| name.to_str());
        let input: Box<dyn Read + Send> = match extension {
            Some("gz") => {
                let unpacked = flate2::read::MultiGzDecoder::new(input);
                Box::new(Unpacked::new(unpacked, opened.length()))
            }
            Some("zst") => {
                let unpacked = zstd::Decoder::new(input);
                let unpacked = unpacked.map_err(|error| unreadable(&self.file, &error))?;
                Box::new(Unpacked::new(unpacked, opened.length()))
            }
            _ => Box::new(input),
        };
        Ok(Chunks::new(input))
    }

    fn refused(&self, error: &ChunkError) -> Diagnostic {
        match error {
            ChunkError::Io(error) => unreadable(&self.file, error),
            ChunkError::LineTooLong(line) => too_long(&self.file, *line),
        }
    }
}

fn too_long(file: &Arc<str>, line: u64) -> Diagnostic {
    let problem = Problem::fatal(Code::LineTooLong, 0..0, "longer than 64 MiB")
        .hint("a JSON Lines file has one case per line; is a line break missing?");
    Diagnostic {
        line: Some(line),
        ..Diagnostic::of_file(file, problem)
    }
}

impl EvalSource for JsonLines {
    fn header(&self) -> Option<Node<'_>> {
        None
    }

    fn place(&self, problem: Problem) -> Diagnostic {
        Diagnostic::of_file(&self.file, problem)
    }

    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic> {
        Ok(Box::new(Sequential {
            source: self,
            chunks: self.chunks()?,
            buffer: Buffer::default(),
            at: 0,
            line: 0,
            tree: Tree::default(),
            ended: false,
        }))
    }

    fn scan(
        &self,
        inspect: &Inspect<'_>,
        deliver: &mut (dyn FnMut(Findings) -> ControlFlow<()> + Send),
    ) -> Result<(), Diagnostic> {
        let scan = Scan {
            source: self,
            chunks: Mutex::new(self.chunks()?),
            inspect,
            deliver: Mutex::new(deliver),
            turn: Mutex::new(0),
            turned: Condvar::new(),
            stopped: AtomicBool::new(false),
        };
        let workers = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(|| scan.work());
            }
            scan.work();
        });
        Ok(())
    }
}

type Deliver<'d> = &'d mut (dyn FnMut(Findings) -> ControlFlow<()> + Send);

/// One pass over a file by several threads. Each takes a chunk, inspects it, and delivers its findings
/// after those of the chunks before it: order without a buffer that could grow.
struct Scan<'s> {
    source: &'s JsonLines,
    chunks: Mutex<Chunks>,
    inspect: &'s Inspect<'s>,
    deliver: Mutex<Deliver<'s>>,
    /// The chunk whose findings are delivered next.
    turn: Mutex<u64>,
    turned: Condvar,
    stopped: AtomicBool,
}

impl Scan<'_> {
    fn work(&self) {
        let mut scratch = Scratch::default();
        let mut tree = Tree::default();
        let mut buffer = Buffer::default();
        while !self.stopped.load(Ordering::Relaxed) {
            let next = {
                let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
                chunks.next(&mut buffer)
            };
            let Some((place, result)) = next else { break };
            match result {
                Ok(()) => self.inspect_chunk(place, buffer.lines(), &mut tree, &mut scratch),
                Err(error) => {
                    scratch
                        .findings
                        .diagnostics
                        .push(self.source.refused(&error));
                    self.wait_for(place);
                    let _ = self.hand_over(&mut scratch);
                }
            }
            self.pass_on(place);
        }
    }

    fn inspect_chunk(
        &self,
        place: ChunkPlace,
        buffer: &[u8],
        tree: &mut Tree,
        scratch: &mut Scratch,
    ) {
        let file = &self.source.file;
        let mut line = place.first_line;
        let mut at = 0;
        let mut overflowed = false;
        // One check for the whole chunk; only if it fails, each line is checked by itself.
        let text = simdutf8::basic::from_utf8(buffer).ok();
        while let Some(range) = next_line(buffer, at) {
            at = range.end + 1;
            let row = match text.and_then(|text| text.get(range.clone())) {
                Some(text) => row(file, line, text, tree),
                None => row_of_bytes(file, line, &buffer[range], tree),
            };
            (self.inspect)(scratch, row);
            line += 1;
            // With this many problems, deliver them now rather than keep them in memory.
            if scratch.findings.diagnostics.len() >= Findings::KEPT {
                if !overflowed {
                    self.wait_for(place);
                    overflowed = true;
                }
                if self.hand_over(scratch).is_break() {
                    return;
                }
            }
        }
        if !overflowed {
            self.wait_for(place);
        }
        let _ = self.hand_over(scratch);
    }

    fn wait_for(&self, place: ChunkPlace) {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        while *turn != place.index {
            turn = self
                .turned
                .wait(turn)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn hand_over(&self, scratch: &mut Scratch) -> ControlFlow<()> {
        let findings = std::mem::take(&mut scratch.findings);
        if self.stopped.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let mut deliver = self.deliver.lock().unwrap_or_else(PoisonError::into_inner);
        let flow = deliver(findings);
        if flow.is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        flow
    }

    fn pass_on(&self, place: ChunkPlace) {
        *self.turn.lock().unwrap_or_else(PoisonError::into_inner) = place.index + 1;
        self.turned.notify_all();
    }
}

/// Returns the range of the line that begins at `at`, without its end.
fn next_line(buffer: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = buffer.get(at..).filter(|rest| !rest.is_empty())?;
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    Some(at..at + length)
}

/// Reads one line that may not be UTF-8.
fn row_of_bytes<'r>(file: &'r Arc<str>, line: u64, bytes: &'r [u8], tree: &'r mut Tree) -> Row<'r> {
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => row(file, line, text, tree),
        Err(_) => Row::Broken(not_utf8(file, line, bytes)),
    }
}

/// Reads one line.
fn row<'r>(file: &'r Arc<str>, line: u64, text: &'r str, tree: &'r mut Tree) -> Row<'r> {
    if text.len() > LONGEST_LINE {
        return Row::Broken(too_long(file, line));
    }
    if text.trim_ascii().is_empty() {
        return Row::Blank(line);
    }
    let broken = |problem| Row::Broken(Diagnostic::of_line(file, line, text, problem));
    match json::parse(text, tree) {
        Err(invalid) => broken(invalid_json(text, &invalid)),
        Ok(()) => {
            let node = tree.root();
            if node.kind() == NodeKind::Object {
                return Row::Case(WrittenRow {
                    node,
                    line,
                    origin: Origin::Line {
                        file,
                        text,
                        problems: &[],
                    },
                });
            }
            let found = node.kind().described();
            let message = format!("expected a case (a JSON object), found {found}");
            broken(Problem {
                expected: Some("a JSON object".to_owned()),
                found: Some(found.to_owned()),
                ..Problem::fatal(Code::NotAnObject, node.span(), message)
            })
        }
    }
}

fn not_utf8(file: &Arc<str>, line: u64, bytes: &[u8]) -> Diagnostic {
    let valid = std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len);
    let text = String::from_utf8_lossy(bytes);
    let problem = Problem::fatal(Code::NotUtf8, valid..valid + 3, "not UTF-8 text")
        .hint("save the file as UTF-8");
    Diagnostic::of_line(file, line, &text, problem)
}

fn invalid_json(text: &str, invalid: &json::InvalidJson) -> Problem {
    let column = text[..invalid.offset].chars().count() + 1;
    let message = format!("Invalid JSON: {} at column {column}", invalid.reason);
    let span = invalid.offset..invalid.offset + 1;
    let code = if invalid.unfinished {
        Code::UnfinishedJson
    } else {
        Code::InvalidJson
    };
    let problem = Problem {
        expected: Some("a JSON object".to_owned()),
        found: Some(invalid.reason.clone()),
        ..Problem::fatal(code, span, message)
    };
    let start = text.trim_ascii_start();
    if start.starts_with('#') || start.starts_with("//") {
        problem.hint("JSON Lines has no comments")
    } else if text.trim_ascii_end().contains('\r') {
        problem.hint("the line contains a bare carriage return; lines end with \\n or \\r\\n")
    } else if invalid.unfinished {
        problem.hint(
            "the object seems to continue on the next line; JSON Lines has one object per line",
        )
    } else {
        problem
    }
}

/// A pass over the lines by one thread.
struct Sequential<'s> {
    source: &'s JsonLines,
    chunks: Chunks,
    buffer: Buffer,
    at: usize,
    /// The number of the line at `at`, less one.
    line: u64,
    tree: Tree,
    ended: bool,
}

impl Rows for Sequential<'_> {
    fn next(&mut self) -> Option<Row<'_>> {
        if self.ended {
            return None;
        }
        if self.at >= self.buffer.lines().len() {
            self.at = 0;
            match self.chunks.next(&mut self.buffer) {
                Some((_, Ok(()))) => {}
                Some((_, Err(error))) => {
                    self.ended = true;
                    return Some(Row::Broken(self.source.refused(&error)));
                }
                None => {
                    self.ended = true;
                    return None;
                }
            }
        }
        let range = next_line(self.buffer.lines(), self.at)?;
        self.at = range.end + 1;
        self.line += 1;
        let bytes = &self.buffer.lines()[range];
        Some(row_of_bytes(
            &self.source.file,
            self.line,
            bytes,
            &mut self.tree,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reader_of_a_text_ends_when_the_text_is_out_of_date() {
        let outdated = Outdated::default();
        let mut reader = TextReader {
            text: Arc::new("abcdef".to_owned()),
            at: 0,
            outdated: outdated.clone(),
        };
        let mut buffer = [0; 2];
        assert_eq!(reader.read(&mut buffer).unwrap(), 2);
        outdated.set();
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
    }
}
