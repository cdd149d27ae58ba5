//! Why a command did not finish.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, io};

use crate::{CommandSpec, Finished};

/// A command that could not be started, or was not let finish.
#[derive(Debug)]
pub enum ProcessError {
    /// The working directory is missing or not a folder.
    WorkingDirectory {
        /// As it was asked for.
        path: PathBuf,
        /// What looking at it gave.
        source: io::Error,
    },
    /// There is no such program.
    NotFound {
        /// As it was asked for.
        program: OsString,
    },
    /// The program is a script, and the interpreter that its first line names is missing.
    NoInterpreter {
        /// As it was asked for.
        program: OsString,
    },
    /// The program's file may not be executed, or is none that can be.
    NotExecutable {
        /// As it was asked for.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The system could not start the program for another reason: arguments that are too long, too
    /// many open files.
    Start {
        /// As it was asked for.
        program: OsString,
        /// What the system said.
        source: io::Error,
    },
    /// The supervisor could not be started, or ended before its command did.
    Supervisor {
        /// The supervisor's program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The deadline passed, and the tree was ended.
    DeadlinePassed {
        /// The command's program.
        program: OsString,
        /// How long it was given.
        deadline: Duration,
        /// What was captured until then.
        partial: Box<Finished>,
    },
    /// The run was cancelled, and the tree ended.
    Cancelled,
}

impl ProcessError {
    /// Why the program of `spec` could not be executed, from what the system said.
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

/// Whether the program is named by a path at which there is a file.
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

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WorkingDirectory { path, source } => {
                let path = path.display();
                write!(f, "cannot work in the folder `{path}`: {source}")
            }
            Self::NotFound { program } => {
                write!(f, "command `{}` not found", program.display())
            }
            Self::NoInterpreter { program } => {
                let program = program.display();
                write!(
                    f,
                    "`{program}` cannot run: the interpreter its first line names is missing"
                )
            }
            Self::NotExecutable { program, source } => {
                write!(f, "`{}` is not executable: {source}", program.display())
            }
            Self::Start { program, source } => {
                write!(f, "cannot start `{}`: {source}", program.display())
            }
            Self::Supervisor { path, source } => {
                let path = path.display();
                write!(f, "the supervisor `{path}` of the command failed: {source}")
            }
            Self::DeadlinePassed {
                program, deadline, ..
            } => {
                let program = program.display();
                write!(
                    f,
                    "`{program}` was ended after its deadline of {deadline:?}"
                )
            }
            Self::Cancelled => f.write_str("the command was cancelled"),
        }
    }
}

impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The messages above already say what the sources would.
        None
    }
}
