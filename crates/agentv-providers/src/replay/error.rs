//! Errors of recordings.

use std::io;

use super::answer_line::AnswerLineError;

/// A file that cannot be used as a recording.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordingError {
    #[error("cannot read `{shown}`: {source}")]
    Unreadable { shown: String, source: io::Error },
    #[error(transparent)]
    Journal(#[from] agentv_journal::FileError),
    #[error("line {number} of `{shown}`: {source}")]
    Line {
        number: u64,
        shown: String,
        source: AnswerLineError,
    },
    #[error("line {number} of `{shown}` is not a transcript: {reason}")]
    NotATranscript {
        number: u64,
        shown: String,
        reason: String,
    },
    #[error(transparent)]
    Changed(#[from] AnswerLineError),
    #[error(
        "line {number} of `{shown}` is a second answer to `{id}`; to answer several trials, add \
         `trial` to each line"
    )]
    Repeated {
        number: u64,
        shown: String,
        id: String,
    },
}

/// Several answers to a case, none of which is clearly the right one.
#[derive(Debug, thiserror::Error)]
pub(super) enum ChoiceError {
    #[error("`{shown}` has answers to `{id}` from several {kind} ({names})")]
    Ambiguous {
        shown: String,
        /// `targets` or `eval files`.
        kind: &'static str,
        id: String,
        names: String,
    },
    #[error("`{shown}` has several answers to `{id}`, but none for trial {trial}")]
    NoTrial {
        shown: String,
        id: String,
        trial: u32,
    },
}
