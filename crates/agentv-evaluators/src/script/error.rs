//! The reasons why a script gave no result.

use std::fmt;
use std::time::Duration;

use agentv_process::{ProcessError, Status};
use thiserror::Error;

/// The reason why a script gave no result. `noun` names the script in the message, `tail` is the end
/// of its stdout and stderr, ready to be appended.
#[derive(Debug, Error)]
pub(crate) enum ScriptError {
    #[error("the {noun} cannot run: the run has ended")]
    NoPlace { noun: &'static str },
    #[error("the {noun}: {source}")]
    NotRun {
        noun: &'static str,
        source: ProcessError,
    },
    #[error("the {noun} timed out after {deadline:?} (`timeout_seconds`) and was stopped{tail}")]
    TooSlow {
        noun: &'static str,
        deadline: Duration,
        tail: String,
    },
    #[error("the {noun} {failure}{tail}")]
    Failed {
        noun: &'static str,
        failure: Failure,
        tail: String,
    },
    #[error("the {noun} {problem}{tail}")]
    Unusable {
        noun: &'static str,
        problem: String,
        tail: String,
    },
}

/// The way in which a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    Status(Status),
    TooMuchOutput,
    NotText,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Status(status) => write!(f, "failed with {status}"),
            Failure::TooMuchOutput => f.write_str("printed more than 10 MiB"),
            Failure::NotText => f.write_str("printed text that is not valid UTF-8"),
        }
    }
}
