//! Errors of outputs that are not answers.

use super::depth::DEEPEST;

/// An output that has the fields of an answer and is not one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// A field holds a value of another type than it should.
    #[error("`{field}`: expected {expected}, found {found}")]
    Field {
        /// The path of the field.
        field: String,
        /// The value that the field takes, in words.
        expected: &'static str,
        /// The kind of the value that was found, in words.
        found: &'static str,
    },
    /// There is no answer among the fields.
    #[error("expected `text` or `output_messages`, found neither")]
    Missing,
    /// An element of `output_messages` is not a message.
    #[error("`output_messages[{index}]`: {reason}")]
    Message {
        /// The index of the message.
        index: usize,
        /// The parser's reason, shortened.
        reason: String,
    },
    /// A record of the answer could not be read back.
    #[error("its JSON is nested more than {DEEPEST} levels deep")]
    TooDeep,
}

/// Returns the parser's reason for one line of JSON, without its line number, which is always 1.
pub(crate) fn reason_in_line(error: &serde_json::Error) -> String {
    let reason = error.to_string();
    reason.replace(" at line 1 column ", " at column ")
}
