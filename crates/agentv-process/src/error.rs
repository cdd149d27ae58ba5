//! Errors of commands that did not finish.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::{CommandSpec, Finished};

/// A command that could not be started or did not finish.
///
/// Messages include the system's reason, which is also the source.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The working directory is missing or not a folder.
    #[error("cannot run in the folder `{}`: {source}", path.display())]
    WorkingDirectory {
        /// The folder, as the caller named it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The program does not exist.
    #[error("command `{}` not found", program.display())]
    NotFound {
        /// The program, as the caller named it.
        program: OsString,
    },
    /// The program is a script, and the interpreter that its first line names is missing.
    #[error("cannot run `{}`: the interpreter in its first line was not found", program.display())]
    NoInterpreter {
        /// The program, as the caller named it.
        program: OsString,
    },
    /// The program's file is not executable.
    #[error("`{}` is not executable: {source}", program.display())]
    NotExecutable {
        /// The program, as the caller named it.
        program: OsString,
        /// The system's reason.
        source: io::Error,
    },
    /// The system could not start the program for another reason, such as arguments that are too
    /// long or too many open files.
    #[error("cannot start `{}`: {source}", program.display())]
    Start {
        /// The program, as the caller named it.
        program: OsString,
        /// The system's reason.
        source: io::Error,
    },
    /// The supervisor could not be started, or ended before its command did.
    #[error("the command's supervisor `{}` failed: {source}", path.display())]
    Supervisor {
        /// The supervisor's program.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The supervisor was killed before its command had exited.
    #[error(
        "the supervisor of the command was killed by signal {signal}, probably by the command itself; \
         its processes were ended"
    )]
    SupervisorKilled {
        /// The number of the signal.
        signal: i32,
    },
    /// The deadline passed, and the process tree was ended.
    #[error("`{}` timed out after {deadline:?} and was stopped", program.display())]
    DeadlinePassed {
        /// The command's program.
        program: OsString,
        /// The time that the command was given.
        deadline: Duration,
        /// The output until then.
        partial: Box<Finished>,
    },
    /// The run was cancelled, and the process tree was ended.
    #[error("the command was cancelled")]
    Cancelled,
}

impl ProcessError {
    /// Classifies the system's reason for not executing the program of `spec`.
    pub(crate) fn of_start(spec: &CommandSpec, source: io::Error) -> Self {
        let program = spec.program.clone();
        match source.kind() {
            io::ErrorKind::NotFound if is_file(spec) => Self::NoInterpreter { program },
            io::ErrorKind::NotFound => Self::NotFound { program },
            io::ErrorKind::PermissionDenied => Self::NotExecutable { program, source },
            _ if is_no_executable(&source) => Self::NotExecutable { program, source },
            _ => Self::Start { program, source },
        }
    }
}

/// Checks whether the program is named by the path of a file.
fn is_file(spec: &CommandSpec) -> bool {
    let program = std::path::Path::new(&spec.program);
    if program.components().count() < 2 {
        return false;
    }
    match &spec.directory {
        Some(directory) => directory.join(program).is_file(),
        None => program.is_file(),
    }
}

#[cfg(unix)]
fn is_no_executable(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error())
}

#[cfg(windows)]
fn is_no_executable(error: &io::Error) -> bool {
    const ERROR_BAD_EXE_FORMAT: i32 = 193;
    error.raw_os_error() == Some(ERROR_BAD_EXE_FORMAT)
}
