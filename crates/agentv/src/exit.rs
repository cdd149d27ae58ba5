//! Exit codes, and the errors that end a command early.

use std::io;
use std::process::ExitCode;

use crate::output;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as it should be.
    Success,
    /// Problems were found.
    Problems,
    /// The command line or a file is wrong, so nothing was done.
    Unusable,
    /// Some cases errored: nothing is known of their answers.
    Errored,
    /// A limit of money or time ended the run.
    Limited,
    /// What was asked for could not be written.
    NotWritten,
    /// A signal with this number asked to stop.
    Signal(usize),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Success => 0,
            Exit::Problems => 1,
            Exit::Unusable => 2,
            Exit::Errored => 3,
            Exit::Limited => 4,
            Exit::NotWritten => 5,
            Exit::Signal(signal) => 128_u8.saturating_add(u8::try_from(signal).unwrap_or_default()),
        })
    }
}

/// Standard output could not be written.
#[derive(Debug)]
pub(crate) struct OutputError(io::Error);

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        OutputError(error)
    }
}

impl From<OutputError> for Exit {
    fn from(OutputError(error): OutputError) -> Exit {
        // Whoever reads us has enough: `agentv show … | head` is no failure.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Exit::Success;
        }
        output::error(&format!("standard output: {error}"), None);
        Exit::NotWritten
    }
}
