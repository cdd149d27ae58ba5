//! A running command with everything it starts.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::process::{ChildStderr, ChildStdout};

use crate::group::Group;
#[cfg(target_os = "linux")]
use crate::supervisor::Supervised;
use crate::{CommandSpec, ProcessError, Status};

/// How long is waited for processes to be gone after SIGKILL, and for outputs to end after that.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// Our ends of a command's stdin, stdout and stderr.
pub(crate) struct Pipes {
    pub(crate) stdin: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl Pipes {
    /// Those of a child with everything piped that can be.
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

/// A running command. Dropping it ends the tree as well, without waiting for it.
pub(crate) enum Tree {
    #[cfg(target_os = "linux")]
    Supervised(Box<Supervised>),
    Group(Group),
}

/// What is known when a tree has been ended.
pub(crate) struct Ended {
    /// How the command ended, if anyone could tell.
    pub(crate) status: Option<Status>,
    /// Whether no process is left.
    pub(crate) whole: bool,
}

impl Tree {
    /// Waits until the command itself exits. Nothing is lost when the future is dropped.
    pub(crate) async fn exited(&mut self, spec: &CommandSpec) -> Result<Status, ProcessError> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Supervised(tree) => tree.exited(spec).await,
            Self::Group(tree) => tree.exited(spec).await,
        }
    }

    /// Ends what is left of the tree and waits for it to be gone.
    pub(crate) async fn end(self, spec: &CommandSpec) -> Ended {
        match self {
            #[cfg(target_os = "linux")]
            Self::Supervised(tree) => tree.end(spec).await,
            Self::Group(tree) => tree.end(spec).await,
        }
    }
}
