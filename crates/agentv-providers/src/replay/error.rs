//! Errors of recordings.

use std::io;

use super::answer_line::AnswerLineError;

/// A file that cannot be used as a recording.
#[derive(Debug, thiserror::Error)]
pub(super) enum RecordingError {
    #[error("`{shown}` cannot be read: {source}")]
    Unreadable { shown: String, source: io::Error },
    #[error(transparent)]
    Journal(#[from] agentv_journal::FileError),
    #[error("line {number} of `{shown}`: {source}")]
    Line {
        number: u64,
        shown: String,
        source: AnswerLineError,
    },
    #[error("line {number} of `{shown}` is no transcript: {reason}")]
    NotATranscript {
        number: u64,
        shown: String,
        reason: String,
    },
    #[error(transparent)]
    Changed(#[from] AnswerLineError),
    #[error(
        "line {number} of `{shown}` answers `{id}` again; \
         to answer several trials, give each line a `trial`"
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
    #[error("`{shown}` has answers of several {kind} to `{id}` ({names})")]
    Ambiguous {
        shown: String,
        /// `targets` or `eval files`.
        kind: &'static str,
        id: String,
        names: String,
    },
    #[error("`{shown}` has several answers to `{id}`, but none of trial {trial}")]
    NoTrial {
        shown: String,
        id: String,
        trial: u32,
    },
}
