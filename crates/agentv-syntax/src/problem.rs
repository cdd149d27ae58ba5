//! A problem within one text, before it has a place in a file.

use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::Severity;

/// A problem within one text, not yet placed in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its stable code.
    pub code: Code,
    /// Its consequence.
    pub severity: Severity,
    /// Its place, in bytes of the text.
    pub span: Range<usize>,
    /// The field, such as `input_messages[0].content`; empty for the whole value.
    pub path: String,
    /// The problem in words.
    pub message: String,
    /// The value that was expected.
    pub expected: Option<String>,
    /// The value that was found.
    pub found: Option<String>,
    /// Advice, if there is any.
    pub hint: Option<String>,
}

impl Problem {
    /// Returns an error of the case, about the value at `span`.
    pub fn error(code: Code, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem {
            code,
            severity: Severity::Error,
            span,
            path: String::new(),
            message: message.into(),
            expected: None,
            found: None,
            hint: None,
        }
    }

    /// Returns a remark without consequences.
    pub fn warning(code: Code, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            ..Problem::error(code, span, message)
        }
    }

    /// Returns a problem that makes the whole file unusable.
    pub fn fatal(code: Code, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Fatal,
            ..Problem::error(code, span, message)
        }
    }

    /// Sets the field that the problem is about.
    pub fn at(self, path: impl Into<String>) -> Problem {
        Problem {
            path: path.into(),
            ..self
        }
    }

    /// Adds advice.
    pub fn hint(self, hint: impl Into<String>) -> Problem {
        Problem {
            hint: Some(hint.into()),
            ..self
        }
    }
}
