//! The reasons why a script gave no result.

use std::fmt;
use std::time::Duration;

use agentv_process::{ProcessError, Status};
use thiserror::Error;

/// The reason why a script gave no result. `noun` names the script in the message, `stderr` is the
/// end of its stderr, ready to be appended.
#[derive(Debug, Error)]
pub(crate) enum ScriptError {
    #[error("the {noun} cannot run: the run has ended")]
    NoPlace { noun: &'static str },
    #[error("the {noun}: {source}")]
    NotRun {
        noun: &'static str,
        source: ProcessError,
    },
    #[error("the {noun} timed out after {deadline:?} (`timeout_seconds`) and was stopped{stderr}")]
    TooSlow {
        noun: &'static str,
        deadline: Duration,
        stderr: String,
    },
    #[error("the {noun} {failure}{stderr}")]
    Failed {
        noun: &'static str,
        failure: Failure,
        stderr: String,
    },
    #[error("the {noun} {problem}{stdout}{stderr}")]
    Unusable {
        noun: &'static str,
        problem: String,
        stdout: String,
        stderr: String,
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
