//! The rows of an eval file: cases with their places.

use std::sync::Arc;

use agentv_syntax::{Diagnostic, Lines, Node, Problem, Severity};

/// A pass over the cases of a file.
pub(crate) trait Rows: Send {
    /// Returns the next row; `None` at the end.
    fn next(&mut self) -> Option<Row<'_>>;
}

/// One row of a file.
pub(crate) enum Row<'r> {
    /// A case, not checked yet.
    Case(WrittenRow<'r>),
    /// A blank line.
    Blank(u64),
    /// Something that is not a case.
    Broken(Diagnostic),
}

impl Row<'_> {
    /// Checks if the row counts for the index of the rows after it.
    pub(crate) fn is_counted(&self) -> bool {
        match self {
            Row::Case(_) => true,
            Row::Blank(_) => false,
            Row::Broken(diagnostic) => diagnostic.severity() == Severity::Error,
        }
    }
}

/// A case and its place.
#[derive(Clone, Copy)]
pub(crate) struct WrittenRow<'r> {
    pub(crate) node: Node<'r>,
    /// The physical line on which it begins.
    pub(crate) line: u64,
    pub(super) origin: Origin<'r>,
}

#[derive(Clone, Copy)]
pub(super) enum Origin<'r> {
    /// A line of its own; offsets count from its beginning.
    Line { file: &'r Arc<str>, text: &'r str },
    /// A part of a document; offsets count from the beginning of the document.
    Document {
        file: &'r Arc<str>,
        text: &'r str,
        lines: &'r Lines,
    },
}

impl WrittenRow<'_> {
    /// Turns a problem of this case into a diagnostic with its line.
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
