//! CSV: a line with the names of the columns, then one row per record.

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::{Code, Diagnostic, Lines, Node, Placed, PlacedField, Problem, Tree};

use super::{EvalSource, FormatKind, Origin, Row, Rows, WrittenRow, read_text};
use crate::unsaved::UnsavedTexts;

pub(super) const FORMAT: FormatKind = FormatKind {
    extensions: &[".csv"],
    has_sidecar: true,
    needs_sidecar: true,
    open: |path, file, unsaved| Ok(Box::new(CsvFile::open(path, file, unsaved)?)),
};

/// A CSV file in memory.
pub(crate) struct CsvFile {
    file: Arc<str>,
    text: String,
    lines: Lines,
    /// The names of the columns, and the end of their line.
    names: Vec<String>,
    first: usize,
}

/// One cell of a record.
struct Cell {
    start: usize,
    end: usize,
    text: String,
}

/// The reason why a text is not CSV.
enum NotCsv {
    /// A quoted cell has no end.
    NoEnd { start: usize },
    /// Something follows the end of a quoted cell.
    AfterQuote { at: usize },
}

impl CsvFile {
    pub(crate) fn open(
        path: &Path,
        file: &Arc<str>,
        unsaved: &UnsavedTexts,
    ) -> Result<CsvFile, Diagnostic> {
        let text = read_text(path, file, unsaved)?;
        let lines = Lines::of(&text);
        let (names, first) = match record(&text, 0) {
            Ok((cells, next)) => (cells.into_iter().map(|cell| cell.text).collect(), next),
            Err(reason) => return Err(lines.place(file, &text, reason.problem())),
        };
        Ok(CsvFile {
            file: Arc::clone(file),
            text,
            lines,
            names,
            first,
        })
    }

    /// Returns all rows as one array, and its problems.
    pub(crate) fn rows_as_list(&self) -> Result<Placed, Diagnostic> {
        let mut rows = Vec::new();
        let mut at = self.first;
        while at < self.text.len() {
            let (cells, next) = record(&self.text, at).map_err(|reason| self.placed(reason))?;
            if !is_blank(&cells) {
                rows.push(self.row(cells, 0));
            }
            at = next;
        }
        Ok(Placed::list(self.first..self.text.len(), rows))
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn placed(&self, reason: NotCsv) -> Diagnostic {
        self.lines.place(&self.file, &self.text, reason.problem())
    }

    /// Returns a row as an object, with places counted from `base`. A cell that is empty is absent.
    fn row(&self, cells: Vec<Cell>, base: usize) -> Placed {
        let start = cells.first().map_or(base, |cell| cell.start);
        let end = cells.last().map_or(base, |cell| cell.end);
        let mut row = Placed::map(start - base..end - base);
        for (name, cell) in self.names.iter().zip(cells) {
            let span = cell.start - base..cell.end - base;
            let field = PlacedField {
                name: name.trim().to_owned(),
                span: span.clone(),
                value: Placed::text(span, cell.text),
            };
            if field.value.as_str() != Some("") {
                row.put_as(field.name.clone(), field);
            }
        }
        row
    }
}

impl NotCsv {
    fn problem(&self) -> Problem {
        let (at, message) = match self {
            NotCsv::NoEnd { start } => (*start, "this quoted cell has no closing quote"),
            NotCsv::AfterQuote { at } => {
                (*at, "expected a comma or the end of the line after a quote")
            }
        };
        let hint = "write a quote inside a quoted cell twice";
        Problem::fatal(Code::InvalidCsv, at..at + 1, message).hint(hint)
    }
}

fn is_blank(cells: &[Cell]) -> bool {
    matches!(cells, [only] if only.text.is_empty())
}

/// Reads the record at an offset. Returns its cells, and the offset of the next record.
fn record(text: &str, mut at: usize) -> Result<(Vec<Cell>, usize), NotCsv> {
    let mut cells = Vec::new();
    loop {
        let (cell, next) = cell(text, at)?;
        cells.push(cell);
        match text.as_bytes().get(next) {
            Some(b',') => at = next + 1,
            Some(b'\r') if text.as_bytes().get(next + 1) == Some(&b'\n') => {
                return Ok((cells, next + 2));
            }
            Some(_) => return Ok((cells, next + 1)),
            None => return Ok((cells, next)),
        }
    }
}

/// Reads the cell at an offset. Returns it, and the offset of the comma or line break after it.
fn cell(text: &str, at: usize) -> Result<(Cell, usize), NotCsv> {
    let rest = &text[at..];
    if !rest.starts_with('"') {
        let end = memchr::memchr2(b',', b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let end = at + rest[..end].trim_end_matches('\r').len();
        let text = text[at..end].to_owned();
        return Ok((
            Cell {
                start: at,
                end,
                text,
            },
            end,
        ));
    }
    let mut content = String::new();
    let mut from = at + 1;
    loop {
        let Some(quote) = text[from..].find('"').map(|quote| quote + from) else {
            return Err(NotCsv::NoEnd { start: at });
        };
        content.push_str(&text[from..quote]);
        if text.as_bytes().get(quote + 1) != Some(&b'"') {
            let end = quote + 1;
            return match text.as_bytes().get(end) {
                None | Some(b',' | b'\n' | b'\r') => Ok((
                    Cell {
                        start: at,
                        end,
                        text: content,
                    },
                    end,
                )),
                Some(_) => Err(NotCsv::AfterQuote { at: end }),
            };
        }
        content.push('"');
        from = quote + 2;
    }
}

impl EvalSource for CsvFile {
    fn header(&self) -> Option<Node<'_>> {
        None
    }

    fn place(&self, problem: Problem) -> Diagnostic {
        Diagnostic::of_file(&self.file, problem)
    }

    fn rows(&self) -> Result<Box<dyn Rows + '_>, Diagnostic> {
        Ok(Box::new(Records {
            source: self,
            at: self.first,
            tree: Tree::default(),
        }))
    }
}

struct Records<'s> {
    source: &'s CsvFile,
    at: usize,
    tree: Tree,
}

impl Rows for Records<'_> {
    fn next(&mut self) -> Option<Row<'_>> {
        let source = self.source;
        if self.at >= source.text.len() {
            return None;
        }
        let start = self.at;
        let line = source.lines.number(start);
        let (cells, next) = match record(&source.text, start) {
            Ok(record) => record,
            Err(reason) => {
                self.at = source.text.len();
                return Some(Row::Broken(source.placed(reason)));
            }
        };
        self.at = next;
        if is_blank(&cells) {
            return Some(Row::Blank(line));
        }
        if cells.len() != source.names.len() {
            let (found, expected) = (cells.len(), source.names.len());
            let message = format!("expected {expected} cells as in the first line, found {found}");
            let problem = Problem::error(Code::InvalidCsv, start..next, message);
            let place = source.lines.place(&source.file, &source.text, problem);
            return Some(Row::Broken(place));
        }
        self.tree = source.row(cells, start).to_tree("");
        let text = source.text[start..next].trim_end_matches(['\r', '\n']);
        Some(Row::Case(WrittenRow {
            node: self.tree.root(),
            line,
            origin: Origin::Line {
                file: &source.file,
                text,
                problems: &[],
            },
        }))
    }
}
