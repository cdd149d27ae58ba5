//! A command in a job object of its own.

use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::io::AsyncWrite;
use tokio::process::Command;
use tokio::time::timeout;

use crate::tree::{Ended, PATIENCE, Pipes};
use crate::{CommandSpec, ProcessError, Status};

/// A command and its descendants in one job object.
pub(crate) struct Group {
    child: Box<dyn ChildWrapper>,
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
        streams.stderr(Stdio::piped());
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        spec.set_environment(&mut command);
        let mut command = CommandWrap::from(command);
        let child = command.wrap(KillOnDrop).wrap(JobObject).spawn();
        let mut child = child.map_err(failed)?;
        let stdin = child.stdin().take();
        let stdin = stdin.map(|stdin| Box::new(stdin) as Box<dyn AsyncWrite + Send + Unpin>);
        let (stdout, stderr) = (child.stdout().take(), child.stderr().take());
        let pipes = Pipes::of(stdin, stdout, stderr).map_err(failed)?;
        Ok((Self { child }, pipes))
    }

    pub(crate) async fn exited(&mut self, spec: &CommandSpec) -> Result<Status, ProcessError> {
        let status = self.child.inner_mut().wait().await;
        status
            .map(Status::from)
            .map_err(|source| ProcessError::Start {
                program: spec.program.clone(),
                source,
            })
    }

    pub(crate) async fn end(mut self, _spec: &CommandSpec) -> Ended {
        let _ = self.child.start_kill();
        let gone = timeout(PATIENCE, self.child.wait()).await;
        let status = gone.ok().and_then(Result::ok);
        Ended {
            status: status.map(Status::from),
            whole: status.is_some(),
        }
    }
}
