//! The rows of an eval file: cases with their places.

use std::ops::Range;
use std::sync::Arc;

use agentv_syntax::{Diagnostic, Lines, Node, Problem, Severity};

use crate::dialect::Texts;

/// A pass over the cases of a file.
pub(crate) trait Rows: Send {
    /// Returns the next row; `None` at the end.
    fn next(&mut self) -> Option<Row<'_>>;
}

/// One row of a file.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one row at a time, and a broken one ends the file"
)]
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
    pub(crate) origin: Origin<'r>,
}

#[derive(Clone, Copy)]
pub(crate) enum Origin<'r> {
    /// A line of its own; offsets count from its beginning.
    Line {
        file: &'r Arc<str>,
        text: &'r str,
        /// The problems that were found when the row was mapped to a case.
        problems: &'r [Problem],
    },
    /// A part of a document; offsets count from the beginning of the document.
    Document {
        file: &'r Arc<str>,
        text: &'r str,
        lines: &'r Lines,
    },
    /// A case of another dialect.
    Translated {
        file: &'r Arc<str>,
        texts: &'r Texts,
        /// The place of the case as written.
        own: &'r Range<usize>,
        /// The problems that the translation found.
        problems: &'r [Problem],
    },
}

impl WrittenRow<'_> {
    /// Turns a problem of this case into a diagnostic with its line.
    pub(crate) fn place(&self, problem: Problem) -> Diagnostic {
        let id = self.node.get("id").and_then(Node::as_str);
        let case_id = id.map(|id| id.into_owned());
        match self.origin {
            Origin::Line { file, text, .. } => Diagnostic {
                case_id,
                ..Diagnostic::of_line(file, self.line, text, problem)
            },
            Origin::Document { file, text, lines } => Diagnostic {
                case: case_id.clone(),
                case_id,
                ..lines.place(file, text, problem)
            },
            Origin::Translated {
                file, texts, own, ..
            } => Diagnostic {
                case: case_id.clone(),
                case_id,
                ..texts.place(problem, Some(own), file)
            },
        }
    }

    /// Returns the problems that were found before the case was read.
    pub(crate) fn problems(&self) -> &[Problem] {
        match self.origin {
            Origin::Document { .. } => &[],
            Origin::Line { problems, .. } | Origin::Translated { problems, .. } => problems,
        }
    }

    /// Checks if a problem found before makes the case unusable.
    pub(crate) fn is_refused(&self) -> bool {
        let mut problems = self.problems().iter();
        problems.any(|problem| problem.severity != Severity::Warning)
    }

    /// Checks if a problem is in a part that other cases have as well.
    pub(crate) fn shares(&self, problem: &Problem) -> bool {
        match self.origin {
            Origin::Line { .. } | Origin::Document { .. } => false,
            Origin::Translated { own, .. } => {
                problem.span.start < own.start || own.end < problem.span.end
            }
        }
    }
}
