//! A running command with all its processes.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::process::{ChildStderr, ChildStdout};

use crate::group::Group;
#[cfg(target_os = "linux")]
use crate::supervisor::Supervised;
use crate::{CommandSpec, ProcessError, Status};

/// The time that processes have to end after SIGKILL, and that outputs have to end after that.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Our ends of a command's stdin, stdout and stderr.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl Pipes {
    /// Takes the pipes of a child.
    ///
    /// # Errors
    /// If the child has no pipe for stdout or stderr.
    pub(crate) fn of(
        stdin: Option<Box<dyn AsyncWrite + Send + Unpin>>,
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
    ) -> io::Result<Self> {
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
            return Err(io::Error::other("the child has no output pipes"));
        };
        Ok(Self {
            stdin,
            stdout,
            stderr,
        })
    }
}

/// A running command. Dropping it ends the tree without waiting for it.
pub(crate) enum Tree {
    #[cfg(target_os = "linux")]
    Supervised(Box<Supervised>),
    Group(Group),
}

/// The state of a tree that was ended.
pub(crate) struct Ended {
    /// The end of the command, if it is known.
    pub(crate) status: Option<Status>,
    /// True if no process is left.
    pub(crate) whole: bool,
}

impl Tree {
    /// Waits until the command itself exits. The future can be dropped and started again.
    pub(crate) async fn exited(&mut self, spec: &CommandSpec) -> Result<Status, ProcessError> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Supervised(tree) => tree.exited(spec).await,
            Self::Group(tree) => tree.exited(spec).await,
        }
    }

    /// Ends all processes of the tree and waits for them.
    pub(crate) async fn end(self, spec: &CommandSpec) -> Ended {
        match self {
            #[cfg(target_os = "linux")]
            Self::Supervised(tree) => tree.end(spec).await,
            Self::Group(tree) => tree.end(spec).await,
        }
    }
}
