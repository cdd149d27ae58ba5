//! Errors of imports.

use thiserror::Error;

/// A file that cannot be imported.
#[derive(Debug, Error, PartialEq)]
pub enum ImportError {
    /// The text is not JSON.
    #[error("line {line}: not JSON: {reason}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The reason of the parser.
        reason: String,
    },
    /// The file is not text.
    #[error("it is not a text in UTF-8")]
    NotText,
    /// The archive cannot be read.
    #[error("the archive cannot be read: {reason}")]
    Archive {
        /// The reason.
        reason: String,
    },
    /// Nothing in the file is an answer.
    #[error("there is no answer in it; expected {expected}")]
    Nothing {
        /// The files that are expected.
        expected: &'static str,
    },
}
