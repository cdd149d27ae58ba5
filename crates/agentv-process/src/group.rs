//! A command in a process group of its own, without a supervisor.

use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use tokio::io::AsyncWrite;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep};

use crate::tree::{Ended, PATIENCE, Pipes};
use crate::{CommandSpec, ProcessError, Status};

/// The interval at which a group is checked while it ends.
const INTERVAL: Duration = Duration::from_millis(5);

/// A command and the descendants that stay in its group.
pub(crate) struct Group {
    child: Child,
    /// The group, until it is known to be gone.
    group: Option<Pid>,
}

impl Group {
    pub(crate) fn start(spec: &CommandSpec) -> Result<(Self, Pipes), ProcessError> {
        let failed = |source| ProcessError::of_start(spec, source);
        let mut command = Command::new(&spec.program);
        command.args(&spec.arguments);
        let stdin = if spec.stdin.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        };
        let streams = command.stdin(stdin).stdout(Stdio::piped());
        streams.stderr(Stdio::piped()).process_group(0);
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        spec.set_environment(&mut command);
        let mut child = command.spawn().map_err(failed)?;
        let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        let stdin = child.stdin.take();
        let stdin = stdin.map(|stdin| Box::new(stdin) as Box<dyn AsyncWrite + Send + Unpin>);
        let pipes = Pipes::of(stdin, child.stdout.take(), child.stderr.take());
        let tree = Self { child, group };
        Ok((tree, pipes.map_err(failed)?))
    }

    pub(crate) async fn exited(&mut self, spec: &CommandSpec) -> Result<Status, ProcessError> {
        let status = self.child.wait().await;
        status
            .map(Status::from)
            .map_err(|source| ProcessError::Start {
                program: spec.program.clone(),
                source,
            })
    }

    pub(crate) async fn end(mut self, spec: &CommandSpec) -> Ended {
        let whole = self.signal_until_gone(Signal::TERM, spec.grace).await
            || self.signal_until_gone(Signal::KILL, PATIENCE).await;
        let status = self.child.try_wait().ok().flatten();
        Ended {
            status: status.map(Status::from),
            whole,
        }
    }

    /// Sends `signal`, waits for the group to end, and returns true if it did.
    async fn signal_until_gone(&mut self, signal: Signal, patience: Duration) -> bool {
        let Some(group) = self.group else { return true };
        let until = Instant::now() + patience;
        let _ = kill_process_group(group, signal);
        loop {
            // A group exists until its leader has been waited for.
            let _ = self.child.try_wait();
            if test_kill_process_group(group).is_err() {
                self.group = None;
                return true;
            }
            if Instant::now() >= until {
                return false;
            }
            sleep(INTERVAL).await;
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
