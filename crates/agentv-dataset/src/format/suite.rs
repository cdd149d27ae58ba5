//! YAML suites: dataset-level fields and a list of cases in one document.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use agentv_syntax::yaml::{self, BrokenEscape, InvalidYaml};
use agentv_syntax::{Code, Diagnostic, Lines, Node, NodeKind, Placed, Problem, Tree, json};

use super::row::Origin;
use super::{CsvFile, EvalSource, FormatKind, Row, Rows, WrittenRow, open_regular, unreadable};
use crate::unsaved::UnsavedTexts;

pub(super) const FORMAT: FormatKind = FormatKind {
    extensions: &[".yaml", ".yml"],
    has_sidecar: false,
    needs_sidecar: false,
    open: |path, file, unsaved| Ok(Box::new(Document::open(path, file, unsaved)?)),
};

/// Largest document that is read: all of it is kept in memory.
const LARGEST_DOCUMENT: u64 = 512 << 20;

/// A YAML document in memory.
pub(crate) struct Document {
    file: Arc<str>,
    tree: Tree,
    lines: Lines,
}

impl Document {
    /// Reads and parses a file.
    pub(crate) fn open(
        path: &Path,
        file: &Arc<str>,
        unsaved: &UnsavedTexts,
    ) -> Result<Document, Diagnostic> {
        let text = read_text(path, file, unsaved)?;
        let lines = Lines::of(&text);
        let mut tree = Tree::default();
        let read = yaml::parse_with_broken_escapes(&text, &mut tree);
        match read.and_then(|()| refuse_outside_of_cases(&tree)) {
            Ok(()) => Ok(Document {
                file: Arc::clone(file),
                tree,
                lines,
            }),
            Err(invalid) => Err(lines.place(file, &text, invalid.problem())),
        }
    }

    /// Reads and parses a JSONL file as one array.
    pub(crate) fn open_lines(
        path: &Path,
        file: &Arc<str>,
        unsaved: &UnsavedTexts,
    ) -> Result<Document, Diagnostic> {
        let text = read_text(path, file, unsaved)?;
        let lines = Lines::of(&text);
        let mut items = Vec::new();
        let mut tree = Tree::default();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            if !line.trim().is_empty() {
                if let Err(invalid) = json::parse(line.trim_end(), &mut tree) {
                    let at = start + invalid.offset;
                    let message = format!("Invalid JSON: {}", invalid.reason);
                    let problem = Problem::fatal(Code::InvalidJson, at..at + 1, message);
                    return Err(lines.place(file, &text, problem));
                }
                let mut item = Placed::from(tree.root());
                item.shift(start);
                items.push(item);
            }
            start += line.len();
        }
        Ok(Document {
            file: Arc::clone(file),
            tree: Placed::list(0..text.len(), items).to_tree(&text),
            lines,
        })
    }

    /// Reads and parses a CSV file as one array of objects.
    pub(crate) fn open_csv(
        path: &Path,
        file: &Arc<str>,
        unsaved: &UnsavedTexts,
    ) -> Result<Document, Diagnostic> {
        let csv = CsvFile::open(path, file, unsaved)?;
        Ok(Document {
            file: Arc::clone(file),
            tree: csv.rows_as_list()?.to_tree(csv.text()),
            lines: Lines::of(csv.text()),
        })
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root()
    }

    pub(crate) fn text(&self) -> &str {
        self.tree.source()
    }

    /// Returns the line of a place in the text.
    pub(crate) fn line(&self, offset: usize) -> u64 {
        self.lines.number(offset)
    }

    pub(crate) fn place_problem(&self, problem: Problem) -> Diagnostic {
        self.lines.place(&self.file, self.tree.source(), problem)
    }
}

/// Refuses an escape that stands for no character, unless it is in a case: then it is an error of that
/// case.
fn refuse_outside_of_cases(tree: &Tree) -> Result<(), InvalidYaml> {
    let cases = tree.root().get("evalcases");
    let is_in_case = |escape: &&BrokenEscape| {
        let mut cases = cases.into_iter().flat_map(Node::items);
        cases.any(|case| case.span().contains(&escape.place.start))
    };
    let outside = tree
        .broken_escapes()
        .iter()
        .find(|escape| !is_in_case(escape));
    outside.map_or(Ok(()), |escape| Err(escape.reason.clone()))
}

/// Reads the text of a file that is read whole.
pub(crate) fn read_text(
    path: &Path,
    file: &Arc<str>,
    unsaved: &UnsavedTexts,
) -> Result<String, Diagnostic> {
    if let Some(text) = unsaved.of(path) {
        return Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned());
    }
    let mut source = open_regular(path, file)?;
    let length = source
        .metadata()
        .map_err(|error| unreadable(file, &error))?
        .len();
    if length > LARGEST_DOCUMENT {
        let problem = Problem::fatal(Code::Unreadable, 0..0, "larger than 512 MiB")
            .hint("write that many cases as JSON Lines, which are read one at a time");
        return Err(Diagnostic::of_file(file, problem));
    }
    let mut bytes = Vec::new();
    source
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(file, &error))?;
    utf8(bytes, file)
}

fn utf8(bytes: Vec<u8>, file: &Arc<str>) -> Result<String, Diagnostic> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        let problem = Problem::fatal(Code::NotUtf8, 0..0, "not UTF-8 text");
        Diagnostic {
            line: Some(line as u64 + 1),
            ..Diagnostic::of_file(file, problem)
        }
    })?;
    Ok(match text.strip_prefix('\u{feff}') {
        Some(rest) => rest.to_owned(),
        None => text,
    })
}

impl EvalSource for Document {
    fn header(&self) -> Option<Node<'_>> {
        Some(self.root())
    }

    fn place(&self, problem: Problem) -> Diagnostic {
        self.place_problem(problem)
    }

    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic> {
        let cases = self.root().get("evalcases");
        let items = cases.into_iter().flat_map(Node::items);
        Ok(Box::new(CasesOfSuite {
            document: self,
            items: Box::new(items),
        }))
    }
}

struct CasesOfSuite<'d> {
    document: &'d Document,
    items: Box<dyn Iterator<Item = Node<'d>> + Send + 'd>,
}

impl Rows for CasesOfSuite<'_> {
    fn next(&mut self) -> Option<Row<'_>> {
        let node = self.items.next()?;
        let document = self.document;
        if node.kind() != NodeKind::Object {
            let found = node.kind().described();
            let message = format!("expected a case (a mapping), found {found}");
            let problem = Problem::error(Code::NotAnObject, node.span(), message);
            return Some(Row::Broken(
                document.place_problem(problem.at(document.root().path_to(node))),
            ));
        }
        Some(Row::Case(WrittenRow {
            node,
            line: document.lines.number(node.span().start),
            origin: Origin::Document {
                file: &document.file,
                text: document.tree.source(),
                lines: &document.lines,
            },
        }))
    }
}
