//! The description of a command to run.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use crate::sandbox::SandboxSpec;

/// A command to run, with its limits.
///
/// ```
/// use std::time::Duration;
/// use agentv_process::CommandSpec;
///
/// let spec = CommandSpec::program("git")
///     .args(["log", "--oneline"])
///     .current_dir("/tmp")
///     .env("GIT_PAGER", "cat")
///     .deadline(Duration::from_secs(20));
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct CommandSpec {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) inherits_environment: bool,
    pub(crate) stdin: Option<Vec<u8>>,
    pub(crate) deadline: Duration,
    pub(crate) grace: Duration,
    pub(crate) stdout_limit: usize,
    pub(crate) stderr_limit: usize,
    pub(crate) sandbox: Option<SandboxSpec>,
}

impl CommandSpec {
    /// Describes a program. A name without a slash is looked up in `PATH`. A relative path is relative
    /// to the command's working directory.
    pub fn program(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            environment: Vec::new(),
            inherits_environment: true,
            stdin: None,
            deadline: Duration::from_secs(30 * 60),
            grace: Duration::from_secs(2),
            stdout_limit: 16 << 20,
            stderr_limit: 64 << 10,
            sandbox: None,
        }
    }

    /// Describes a line for `sh -c`, on every platform. [`quote`](crate::quote()) turns any text into one
    /// word of it.
    pub fn shell(line: impl AsRef<OsStr>) -> Self {
        Self::program("sh").arg("-c").arg(line)
    }

    /// Adds an argument. After [`shell`](Self::shell) it is `$0`, `$1`, … of the line.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.arguments.push(argument.as_ref().to_owned());
        self
    }

    /// Adds arguments, as [`arg`](Self::arg) does.
    pub fn args(self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Sets the command's working directory (default: that of this program).
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Gives the command no variable of this program's environment, only those set by
    /// [`env`](Self::env).
    pub fn clean_environment(mut self) -> Self {
        self.inherits_environment = false;
        self
    }

    /// Sets a variable, on top of the inherited environment if there is one.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sets variables, as [`env`](Self::env) does.
    pub fn envs(
        self,
        variables: impl IntoIterator<Item = (impl Into<OsString>, impl Into<OsString>)>,
    ) -> Self {
        let variables = variables.into_iter();
        variables.fold(self, |spec, (name, value)| spec.env(name, value))
    }

    /// Sets the command's stdin (default: empty). The command need not read it.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// Sets the time that the command may take (default: 30 minutes).
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets the time between SIGTERM and SIGKILL (default: 2 seconds, at most an hour).
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace.min(Duration::from_secs(60 * 60));
        self
    }

    /// Sets the number of bytes to keep of the beginning of stdout (default: 16 MiB).
    pub fn stdout_limit(mut self, bytes: usize) -> Self {
        self.stdout_limit = bytes;
        self
    }

    /// Sets the number of bytes to keep of the end of stderr (default: 64 KiB).
    pub fn stderr_limit(mut self, bytes: usize) -> Self {
        self.stderr_limit = bytes;
        self
    }

    /// Puts the command behind a wall. In a container, it gets only the variables set by
    /// [`env`](Self::env).
    pub fn sandbox(mut self, sandbox: SandboxSpec) -> Self {
        self.sandbox = Some(sandbox);
        self
    }

    /// Sets the variables of a command that is about to start.
    pub(crate) fn set_environment(&self, command: &mut tokio::process::Command) {
        if !self.inherits_environment {
            command.env_clear();
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
    }
}
