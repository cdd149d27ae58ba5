//! Exit codes, and the errors that end a command early.

use std::io;
use std::process::ExitCode;

use agentv_core::Stop;
use agentv_project::ProjectError;

use crate::diagnostics::DiagnosticPrinter;
use crate::output;

/// The way a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is as it should be.
    Success,
    /// Problems were found, or a gate is not met.
    Problems,
    /// The command line or a file is wrong, so nothing was done.
    Unusable,
    /// More trials errored, or more cases were unusable, than allowed.
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

/// The facts about a run, a grading or a merge that decide its exit code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RunFacts {
    /// The reason of an early stop.
    pub(crate) stop: Option<Stop>,
    /// Set if results or a report could not be written.
    pub(crate) not_written: bool,
    /// Set if an error ended the work, or some of it was not done.
    pub(crate) is_broken: bool,
    /// Set if there are more errored trials and skipped cases than allowed.
    pub(crate) exceeds_errors: bool,
    /// Set if all gates are met.
    pub(crate) meets_gates: bool,
}

impl Exit {
    /// Returns the first that applies: ended by a signal, not written, limited, broken, too many errors, a
    /// gate not met.
    pub(crate) fn of_run(facts: &RunFacts) -> Exit {
        match *facts {
            RunFacts {
                stop: Some(Stop::Interrupted),
                ..
            } => Exit::Signal(2),
            RunFacts {
                stop: Some(Stop::Terminated),
                ..
            } => Exit::Signal(15),
            RunFacts {
                stop: Some(Stop::HungUp),
                ..
            } => Exit::Signal(1),
            RunFacts {
                stop: _,
                not_written: true,
                ..
            } => Exit::NotWritten,
            RunFacts {
                stop: Some(Stop::Budget | Stop::Time),
                ..
            } => Exit::Limited,
            RunFacts {
                stop: Some(Stop::Broken) | None,
                is_broken: true,
                ..
            } => Exit::Unusable,
            RunFacts {
                stop: Some(Stop::Broken) | None,
                exceeds_errors: true,
                ..
            } => Exit::Errored,
            RunFacts {
                stop: Some(Stop::Broken) | None,
                meets_gates: false,
                ..
            } => Exit::Problems,
            RunFacts {
                stop: Some(Stop::Broken) | None,
                meets_gates: true,
                ..
            } => Exit::Success,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: RunFacts = RunFacts {
        stop: None,
        not_written: false,
        is_broken: false,
        exceeds_errors: false,
        meets_gates: true,
    };

    type Step = (fn(&mut RunFacts), Exit);

    /// All facts that are bad for a run, the one that decides first.
    fn steps() -> [Step; 7] {
        [
            (
                |facts| facts.stop = Some(Stop::Interrupted),
                Exit::Signal(2),
            ),
            (|facts| facts.not_written = true, Exit::NotWritten),
            (|facts| facts.stop = Some(Stop::Budget), Exit::Limited),
            (|facts| facts.stop = Some(Stop::Time), Exit::Limited),
            (|facts| facts.is_broken = true, Exit::Unusable),
            (|facts| facts.exceeds_errors = true, Exit::Errored),
            (|facts| facts.meets_gates = false, Exit::Problems),
        ]
    }

    #[test]
    fn the_first_fact_that_applies_decides_whatever_follows_it() {
        assert_eq!(Exit::of_run(&FINE), Exit::Success);
        let steps = steps();
        for (first, (_, exit)) in steps.iter().enumerate() {
            for last in first..steps.len() {
                let mut facts = FINE;
                // Later facts are set first, so that an earlier stop replaces theirs.
                let set = steps[first..=last].iter().rev();
                set.for_each(|(set, _)| set(&mut facts));
                assert_eq!(Exit::of_run(&facts), *exit, "{facts:?}");
            }
        }
    }

    #[test]
    fn exit_codes_are_those_of_the_manual() {
        let code = |exit: Exit| format!("{:?}", ExitCode::from(exit));
        let expected = |code: u8| format!("{:?}", ExitCode::from(code));
        for (stop, number) in [
            (Stop::Interrupted, 130),
            (Stop::Terminated, 143),
            (Stop::HungUp, 129),
            (Stop::Budget, 4),
            (Stop::Time, 4),
        ] {
            let stop = Some(stop);
            let exit = Exit::of_run(&RunFacts { stop, ..FINE });
            assert_eq!(code(exit), expected(number));
        }
        for (exit, number) in [
            (Exit::Success, 0),
            (Exit::Problems, 1),
            (Exit::Unusable, 2),
            (Exit::Errored, 3),
            (Exit::NotWritten, 5),
        ] {
            assert_eq!(code(exit), expected(number));
        }
    }
}
