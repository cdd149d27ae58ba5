//! Exit codes, and the errors that end a command early.

use std::io;
use std::process::ExitCode;

use agentv_project::ProjectError;

use crate::diagnostics::DiagnosticPrinter;
use crate::output;

/// The way a command ended.
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
    /// The output could not be written.
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

/// An error that ends a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// The project could not be prepared.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// Standard output could not be written.
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
}

impl CommandError {
    /// Prints the error and returns the exit code.
    pub(crate) fn report(&self) -> Exit {
        match self {
            CommandError::Project(error) => report_project_error(error),
            // The reader has enough: `agentv show … | head` is not a failure.
            CommandError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                Exit::Success
            }
            CommandError::Output(_) => {
                output::error(&self.to_string(), None);
                Exit::NotWritten
            }
        }
    }
}

fn report_project_error(error: &ProjectError) -> Exit {
    match error {
        ProjectError::Problems(diagnostics) => {
            let printer = DiagnosticPrinter::for_checking();
            for diagnostic in diagnostics {
                printer.print_error(diagnostic);
            }
            Exit::Unusable
        }
        ProjectError::UnknownTargets(errors) => {
            for error in errors {
                output::error(&error.to_string(), error.hint.as_deref());
            }
            Exit::Unusable
        }
        ProjectError::Refused { message, hint } => {
            output::error(message, hint.as_deref());
            Exit::Unusable
        }
        ProjectError::Failed(error) => {
            output::error(&error.to_string(), None);
            Exit::Unusable
        }
        ProjectError::NotWritten(error) => {
            output::error(&error.to_string(), None);
            Exit::NotWritten
        }
    }
}
