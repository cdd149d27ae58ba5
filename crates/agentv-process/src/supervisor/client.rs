//! The side that starts a supervisor and listens to it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::process::Pid;
use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::report::Report;
use super::{order, processes};

use crate::tree::{Ended, PATIENCE, Pipes};
use crate::{CommandSpec, ProcessError, SUPERVISE, Status};

type Stdin = Box<dyn AsyncWrite + Send + Unpin>;

/// A command under a supervisor. Dropping it closes the socket, which makes the supervisor end the tree.
pub(crate) struct Supervised {
    supervisor: Child,
    reports: Lines<BufReader<UnixStream>>,
    path: PathBuf,
}

impl Supervised {
    pub(crate) fn start(path: &Path, spec: &CommandSpec) -> Result<(Self, Pipes), ProcessError> {
        let failed = |source: io::Error| match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => ProcessError::Supervisor {
                path: path.to_owned(),
                source,
            },
            _ => ProcessError::of_start(spec, source),
        };
        let (socket, stdin) = order(spec).map_err(failed)?;
        let mut supervisor = command(path, spec, socket.1).spawn().map_err(failed)?;
        let (stdout, stderr) = (supervisor.stdout.take(), supervisor.stderr.take());
        let pipes = Pipes::of(stdin, stdout, stderr).map_err(failed)?;
        let supervised = Self {
            supervisor,
            reports: BufReader::with_capacity(64, socket.0).lines(),
            path: path.to_owned(),
        };
        Ok((supervised, pipes))
    }

    pub(crate) async fn exited(&mut self, spec: &CommandSpec) -> Result<Status, ProcessError> {
        match self.next_report().await {
            Ok(Report::Exited(status)) => Ok(status),
            Ok(Report::NotStarted(number)) => {
                let source = io::Error::from_raw_os_error(number);
                Err(ProcessError::of_start(spec, source))
            }
            Ok(Report::Gone | Report::Left) => Err(self.failure(io::ErrorKind::InvalidData.into())),
            Err(source) => Err(self.failure(source)),
        }
    }

    pub(crate) async fn end(mut self, spec: &CommandSpec) -> Ended {
        let _ = self.reports.get_mut().get_mut().shutdown().await;
        let mut ended = Ended {
            status: None,
            whole: false,
        };
        let listening = async {
            while let Ok(report) = self.next_report().await {
                match report {
                    Report::Left => {}
                    Report::Exited(status) => ended.status = Some(status),
                    Report::Gone | Report::NotStarted(_) => ended.whole = true,
                }
            }
            let _ = self.supervisor.wait().await;
        };
        // The supervisor gives up earlier than this.
        let _ = timeout(spec.grace + 2 * PATIENCE, listening).await;
        ended
    }

    async fn next_report(&mut self) -> io::Result<Report> {
        let line = match self.reports.next_line().await {
            // A supervisor that never read its order ends with a reset.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => None,
            line => line?,
        };
        let ended = || io::Error::other("it exited before the command");
        Report::parse(&line.ok_or_else(ended)?).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Ends what can be found without the supervisor: the session that it started.
    fn failure(&self, source: io::Error) -> ProcessError {
        let id = self.supervisor.id();
        if let Some(session) = id.and_then(|id| Pid::from_raw(id.cast_signed())) {
            processes::kill_session(session);
        }
        ProcessError::Supervisor {
            path: self.path.clone(),
            source,
        }
    }
}

/// Creates the two ends of the socket, with the order already sent, and our end of the command's stdin.
fn order(spec: &CommandSpec) -> io::Result<((UnixStream, OwnedFd), Option<Stdin>)> {
    let (ours, theirs) = std::os::unix::net::UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    let stdin = match spec.stdin {
        None => {
            order::send(&ours, None)?;
            None
        }
        Some(_) => {
            let (sender, receiver) = pipe::pipe()?;
            let receiver = receiver.into_blocking_fd()?;
            order::send(&ours, Some(receiver.as_fd()))?;
            Some(Box::new(sender) as Stdin)
        }
    };
    Ok(((UnixStream::from_std(ours)?, theirs.into()), stdin))
}

fn command(path: &Path, spec: &CommandSpec, socket: OwnedFd) -> Command {
    let mut command = Command::new(path);
    command.arg0("agentv").arg(SUPERVISE);
    command.arg(spec.grace.as_millis().to_string());
    command.arg(&spec.program);
    command.args(&spec.arguments);
    let streams = command.stdin(Stdio::from(socket));
    streams.stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(directory) = &spec.directory {
        command.current_dir(directory);
    }
    spec.set_environment(&mut command);
    command
}
