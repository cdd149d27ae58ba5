//! The file formats that cases are read from. A format is one file here and one line in [`ALL`].

mod chunks;
mod jsonl;
mod suite;
mod unchanged;
mod unpacked;

pub(crate) use suite::{Document, read_text};

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Lines, Node, Problem};

/// Every format.
pub(crate) const ALL: &[FormatKind] = &[suite::FORMAT, jsonl::FORMAT];

/// Opens a file, called by the name that the user gave it.
type Open = fn(&Path, &Arc<str>) -> Result<Box<dyn Source>, Diagnostic>;

/// A file format.
#[derive(Debug)]
pub(crate) struct FormatKind {
    /// The extensions of its files, the usual one first.
    pub(crate) extensions: &'static [&'static str],
    /// Whether dataset-level fields stand in a file beside it.
    pub(crate) has_sidecar: bool,
    /// Opens a file of this format.
    pub(crate) open: Open,
}

impl FormatKind {
    /// The format of a file, by its extension, and its name without that.
    pub(crate) fn of(path: &Path) -> Option<(&'static FormatKind, String)> {
        let name = path.file_name()?.to_string_lossy();
        ALL.iter().find_map(|format| {
            let mut longest_first: Vec<_> = format.extensions.to_vec();
            longest_first.sort_by_key(|extension| std::cmp::Reverse(extension.len()));
            longest_first
                .into_iter()
                .find_map(|extension| name.strip_suffix(extension))
                .filter(|base| !base.is_empty())
                .map(|base| (format, base.to_owned()))
        })
    }
}

/// An opened file: a header, perhaps, and cases.
pub(crate) trait Source: Send + Sync {
    /// The dataset-level fields in the file itself, where the format has them.
    fn header(&self) -> Option<Node<'_>>;

    /// Puts a problem of the header in its place.
    fn place(&self, problem: Problem) -> Diagnostic;

    /// Goes through the file from its beginning, in file order.
    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic>;

    /// Goes through the whole file, on all cores where the format allows it. What `inspect` adds to
    /// its findings is delivered in file order.
    fn scan(
        &self,
        inspect: &Inspect<'_>,
        deliver: &mut (dyn FnMut(Findings) -> ControlFlow<()> + Send),
    ) -> Result<(), Diagnostic> {
        let mut rows = self.rows()?;
        let mut scratch = Scratch::default();
        while let Some(row) = rows.next() {
            inspect(&mut scratch, row);
            if deliver(std::mem::take(&mut scratch.findings)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Looks at one row and adds to the scratch's findings.
pub(crate) type Inspect<'i> = dyn Fn(&mut Scratch, Row<'_>) + Sync + 'i;

/// What a thread keeps from row to row.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) findings: Findings,
    pub(crate) check_cache: agentv_syntax::CheckCache,
    pub(crate) problems: Vec<Problem>,
}

/// What was found in a part of a file.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Cases that can be used, and that cannot.
    pub(crate) cases: u64,
    pub(crate) skipped: u64,
    /// Cases among them that are AgentMark rows.
    pub(crate) agentmark_rows: u64,
    /// Digests of the ids.
    pub(crate) ids: Vec<u64>,
    /// The first blank lines.
    pub(crate) blank_lines: Vec<u64>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Findings {
    /// Most diagnostics that one part of a file keeps in memory.
    pub(crate) const KEPT: usize = 1_000;
}

/// A walk through the cases of a file.
pub(crate) trait Rows: Send {
    /// The next row; `None` at the end.
    fn next(&mut self) -> Option<Row<'_>>;
}

/// What stands in one place of a file.
pub(crate) enum Row<'r> {
    /// A case, not yet looked at.
    Case(WrittenRow<'r>),
    /// A line with nothing on it.
    Blank(u64),
    /// Something that is no case; the diagnostic says what that costs.
    Broken(Diagnostic),
}

/// A case and its place.
#[derive(Clone, Copy)]
pub(crate) struct WrittenRow<'r> {
    pub(crate) node: Node<'r>,
    /// The physical line on which it begins.
    pub(crate) line: u64,
    origin: Origin<'r>,
}

#[derive(Clone, Copy)]
enum Origin<'r> {
    /// A line of its own; offsets count from its beginning.
    Line { file: &'r Arc<str>, text: &'r str },
    /// A part of a document; offsets count from the document's.
    Document {
        file: &'r Arc<str>,
        text: &'r str,
        lines: &'r Lines,
    },
}

impl WrittenRow<'_> {
    /// Puts a problem of this case in its place.
    pub(crate) fn place(&self, problem: Problem) -> Diagnostic {
        match self.origin {
            Origin::Line { file, text } => Diagnostic::of_line(file, self.line, text, problem),
            Origin::Document { file, text, lines } => {
                let id = self.node.get("id").and_then(Node::as_str);
                Diagnostic {
                    case: id.map(|id| id.into_owned()),
                    ..lines.place(file, text, problem)
                }
            }
        }
    }
}

/// The file could not be opened or read.
pub(crate) fn unreadable(file: &Arc<str>, error: &std::io::Error) -> Diagnostic {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    Diagnostic::of_file(file, Problem::fatal(Code::Unreadable, 0..0, message))
}

/// Refuses what is not a plain file, before anything waits on a pipe for ever.
pub(crate) fn open_regular(path: &Path, file: &Arc<str>) -> Result<std::fs::File, Diagnostic> {
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(file, &error))?;
    if !metadata.is_file() {
        let problem = if metadata.is_dir() {
            Problem::fatal(Code::Unreadable, 0..0, "is a directory, expected a file")
        } else {
            Problem::fatal(Code::Unreadable, 0..0, "is not a regular file").hint(
                "it is read more than once: write what a pipe or a device gives to a file first",
            )
        };
        return Err(Diagnostic::of_file(file, problem));
    }
    std::fs::File::open(path).map_err(|error| unreadable(file, &error))
}
