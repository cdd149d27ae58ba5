//! Something that is wrong with a text, before it has a place in a file.

use std::ops::Range;

use crate::code::Code;
use crate::diagnostic::Severity;

/// A problem within one text, not yet placed in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its stable code.
    pub code: Code,
    /// How much it costs.
    pub severity: Severity,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// The field, such as `input_messages[0].content`; empty for the whole value.
    pub path: String,
    /// What is wrong, in words.
    pub message: String,
    /// What should stand there.
    pub expected: Option<String>,
    /// What does.
    pub found: Option<String>,
    /// What to do, where we can guess.
    pub hint: Option<String>,
}

impl Problem {
    /// An error of the case, about the value at `span`.
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

    /// A remark that costs nothing.
    pub fn warning(code: Code, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Warning,
            ..Problem::error(code, span, message)
        }
    }

    /// A problem that makes the whole file unusable.
    pub fn fatal(code: Code, span: Range<usize>, message: impl Into<String>) -> Problem {
        Problem {
            severity: Severity::Fatal,
            ..Problem::error(code, span, message)
        }
    }

    /// The same with the field that it is about.
    pub fn at(self, path: impl Into<String>) -> Problem {
        Problem {
            path: path.into(),
            ..self
        }
    }

    /// The same with advice.
    pub fn hint(self, hint: impl Into<String>) -> Problem {
        Problem {
            hint: Some(hint.into()),
            ..self
        }
    }
}
