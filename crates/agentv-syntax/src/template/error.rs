//! The reason why a template cannot be parsed or filled.

use minijinja::ErrorKind;
use thiserror::Error;

/// The reason why a template cannot be parsed or filled.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{reason}", self.line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct TemplateError {
    /// The reason, in lower case.
    pub reason: String,
    /// The line within the template, from 1.
    pub line: Option<usize>,
}

/// A limit of one filling that was reached, with advice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum Limit {
    #[error("filling it takes more than 1,000,000 steps: loop over fewer values")]
    Steps,
    #[error(
        "its filters and operators process more than 64 MiB: use fewer of them, and none on long texts inside `{{% for %}}`"
    )]
    Handled,
    #[error("the text would be larger than 16 MiB: insert less")]
    Output,
    #[error("filling it takes longer than 10 seconds: loop over fewer values")]
    Time,
}

impl TemplateError {
    /// Returns the error that a template may not have `what`.
    pub(super) fn refused(line: usize, what: impl std::fmt::Display) -> TemplateError {
        TemplateError::at(line, format!("a prompt cannot have {what}"))
    }

    /// Returns an error at a line of the template.
    pub(super) fn at(line: usize, reason: String) -> TemplateError {
        TemplateError {
            reason,
            line: Some(line),
        }
    }
}

impl From<Limit> for minijinja::Error {
    fn from(limit: Limit) -> minijinja::Error {
        minijinja::Error::new(ErrorKind::InvalidOperation, limit.to_string())
    }
}

impl From<Limit> for TemplateError {
    fn from(limit: Limit) -> TemplateError {
        TemplateError {
            reason: limit.to_string(),
            line: None,
        }
    }
}

impl From<minijinja::Error> for TemplateError {
    fn from(error: minijinja::Error) -> TemplateError {
        let reason = match (error.kind(), error.detail()) {
            (ErrorKind::OutOfFuel, _) => Limit::Steps.to_string(),
            (_, Some(detail)) => detail.to_owned(),
            (kind, None) => kind.to_string(),
        };
        TemplateError {
            reason,
            line: error.line(),
        }
    }
}
