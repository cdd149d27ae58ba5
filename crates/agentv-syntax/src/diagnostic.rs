//! One problem, with everything a person needs to act on it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::code::Code;
use crate::problem::Problem;

/// The consequence of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Everything is used as written.
    Warning,
    /// The case is skipped; the rest of the file is used.
    Error,
    /// Nothing of the file can be used.
    Fatal,
}

/// A problem in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// The physical line, from 1, blank lines counted.
    pub line: Option<u64>,
    /// The column, from 1, in characters.
    pub column: Option<u64>,
    /// The id of the case, if it is known and the line alone does not identify the case.
    pub case: Option<String>,
    /// The id of the case, if it is known.
    pub case_id: Option<String>,
    /// The problem within the line.
    pub problem: Problem,
    /// The piece of the source to draw.
    pub excerpt: Option<Excerpt>,
}

/// A line of the source, or the part of a long one around the problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The text, without line end.
    pub text: String,
    /// The part to underline, in bytes of `text`.
    pub span: Range<usize>,
}

impl Excerpt {
    /// Longest piece kept of a line, in bytes.
    const WIDTH: usize = 240;

    /// Returns the part of `line` around `span`.
    pub fn of_line(line: &str, span: Range<usize>) -> Excerpt {
        Excerpt::within(line, span, Self::WIDTH)
    }

    /// Returns the part of `line` around `span`, of about `width` bytes at most.
    pub fn narrowed(&self, width: usize) -> Excerpt {
        Excerpt::within(&self.text, self.span.clone(), width)
    }

    fn within(line: &str, span: Range<usize>, width: usize) -> Excerpt {
        let line = line.trim_end_matches(['\r', '\n']);
        let start = line.floor_char_boundary(span.start.min(line.len()));
        let end = line.ceil_char_boundary(span.end.clamp(start, line.len()));
        if line.len() <= width {
            return Excerpt {
                text: line.to_owned(),
                span: start..end,
            };
        }
        let from = line.floor_char_boundary(start.saturating_sub(width / 3));
        let to = line.floor_char_boundary((from + width).min(line.len()));
        let before = if from > 0 { "…" } else { "" };
        let after = if to < line.len() { "…" } else { "" };
        let shift = |offset: usize| (offset - from + before.len()).min(to - from + before.len());
        Excerpt {
            text: format!("{before}{}{after}", &line[from..to]),
            span: shift(start)..shift(end),
        }
    }
}

impl Diagnostic {
    /// Returns a problem of the file as a whole.
    pub fn of_file(file: &Arc<str>, problem: Problem) -> Diagnostic {
        Diagnostic {
            file: Arc::clone(file),
            line: None,
            column: None,
            case: None,
            case_id: None,
            problem,
            excerpt: None,
        }
    }

    /// Returns a problem in one line whose number is known.
    pub fn of_line(file: &Arc<str>, number: u64, line: &str, problem: Problem) -> Diagnostic {
        let start = line.floor_char_boundary(problem.span.start.min(line.len()));
        Diagnostic {
            file: Arc::clone(file),
            line: Some(number),
            column: Some(line[..start].chars().count() as u64 + 1),
            case: None,
            case_id: None,
            excerpt: Some(Excerpt::of_line(line, problem.span.clone())),
            problem,
        }
    }

    /// Returns its stable code.
    pub fn code(&self) -> Code {
        self.problem.code
    }

    /// Returns its consequence.
    pub fn severity(&self) -> Severity {
        self.problem.severity
    }

    /// Returns the sentence: path of the field, what was expected, what was found.
    pub fn sentence(&self) -> String {
        let Problem { path, message, .. } = &self.problem;
        // "missing id" names its field already.
        let place = match message.strip_prefix("missing ") {
            Some(name) => path
                .strip_suffix(name)
                .unwrap_or(path)
                .trim_end_matches('.'),
            None => path,
        };
        if place.is_empty() {
            message.clone()
        } else {
            format!("{place}: {message}")
        }
    }

    /// Returns the diagnostic as one JSON object, as `--format json` prints it.
    pub fn to_json(&self) -> serde_json::Value {
        let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let row = Row {
            file: &self.file,
            line: self.line,
            column: self.column,
            case: self.case.as_deref(),
            path: filled(&self.problem.path),
            code: self.problem.code,
            severity: match self.problem.severity {
                Severity::Warning => "warning",
                Severity::Error | Severity::Fatal => "error",
            },
            message: &self.problem.message,
            expected: self.problem.expected.as_deref(),
            found: self.problem.found.as_deref(),
            hint: self.problem.hint.as_deref(),
        };
        serde_json::to_value(row).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct Row<'d> {
    file: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    case: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    code: Code,
    severity: &'static str,
    message: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'d str>,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "Line {line}: ")?;
        }
        if let Some(case) = &self.case {
            write!(f, "case `{case}`: ")?;
        }
        f.write_str(&self.sentence())
    }
}

/// The starts of the lines of a text, for turning offsets into lines.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Finds the lines of `source`.
    pub fn of(source: &str) -> Lines {
        let breaks = source
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
        Lines {
            starts: starts.collect(),
        }
    }

    /// Returns the number, from 1, of the line that holds `offset`.
    pub fn number(&self, offset: usize) -> u64 {
        self.starts.partition_point(|start| *start <= offset) as u64
    }

    /// Turns a problem with offsets into `source` into one with a line.
    pub fn place(&self, file: &Arc<str>, source: &str, mut problem: Problem) -> Diagnostic {
        let number = self.number(problem.span.start.min(source.len()));
        let start = self.starts[number as usize - 1];
        let line = source[start..].split('\n').next().unwrap_or_default();
        problem.span = problem.span.start.saturating_sub(start)
            ..problem.span.end.saturating_sub(start).min(line.len());
        if problem.span.end < problem.span.start {
            problem.span.end = problem.span.start;
        }
        Diagnostic::of_line(file, number, line, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_of_a_long_line_keeps_the_problem_in_view() {
        let line = format!("{}PROBLEM{}", "é".repeat(5_000), "x".repeat(5_000));
        let at = line.find("PROBLEM").unwrap();
        let excerpt = Excerpt::of_line(&line, at..at + 7);
        assert!(excerpt.text.len() < 300);
        assert_eq!(&excerpt.text[excerpt.span.clone()], "PROBLEM");
        let narrow = excerpt.narrowed(40);
        assert!(narrow.text.len() < 50);
        assert_eq!(&narrow.text[narrow.span.clone()], "PROBLEM");
    }
}
