//! The side that starts a supervisor and listens to it.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::adopted::{Registered, end_adopted};
use super::report::Report;
use super::{order, processes};

use crate::tree::{Ended, PATIENCE, Pipes};
use crate::{CommandSpec, ProcessError, SUPERVISE, Status};

type Stdin = Box<dyn AsyncWrite + Send + Unpin>;

/// A command under a supervisor. Dropping it closes the socket, which makes the supervisor end the tree.
pub(crate) struct Supervised {
    supervisor: Child,
    registered: Option<Registered>,
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
        let (mut supervisor, registered) =
            Registered::spawn(command(path, spec, socket.1)).map_err(failed)?;
        let (stdout, stderr) = (supervisor.stdout.take(), supervisor.stderr.take());
        let pipes = Pipes::of(stdin, stdout, stderr).map_err(failed)?;
        let supervised = Self {
            supervisor,
            registered,
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
            Ok(Report::Gone | Report::Left) => {
                Err(self.failure(io::ErrorKind::InvalidData.into()).await)
            }
            Err(source) => Err(self.failure(source).await),
        }
    }

    pub(crate) async fn end(mut self, spec: &CommandSpec) -> Ended {
        let _ = self.reports.get_mut().get_mut().shutdown().await;
        let mut ended = Ended {
            status: None,
            whole: false,
        };
        let mut has_reported = false;
        let listening = async {
            while let Ok(report) = self.next_report().await {
                match report {
                    Report::Left => has_reported = true,
                    Report::Exited(status) => ended.status = Some(status),
                    Report::Gone | Report::NotStarted(_) => ended.whole = true,
                }
            }
            let _ = self.supervisor.wait().await;
        };
        // The supervisor gives up earlier than this.
        let _ = timeout(spec.grace + 2 * PATIENCE, listening).await;
        if !ended.whole && !has_reported {
            // The command has stopped or killed its supervisor.
            ended.whole = self.replace().await;
        }
        ended
    }

    /// Does the work of a supervisor that cannot: ends it and all of its descendants. Returns true if none
    /// is left.
    async fn replace(&mut self) -> bool {
        let _ = self.supervisor.kill().await;
        if let Some(registered) = self.registered.take() {
            processes::kill_session(registered.id());
        }
        end_adopted().await
    }

    async fn next_report(&mut self) -> io::Result<Report> {
        let line = match self.reports.next_line().await {
            // A supervisor that never read its order ends with a reset.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => None,
            line => line?,
        };
        let words = "it exited before the command";
        let ended = || io::Error::new(io::ErrorKind::UnexpectedEof, words);
        Report::parse(&line.ok_or_else(ended)?).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }

    /// Ends the tree without its supervisor, and says why.
    async fn failure(&mut self, source: io::Error) -> ProcessError {
        let status = timeout(PATIENCE, self.supervisor.wait()).await;
        self.replace().await;
        let killer = status.ok().and_then(|status| status.ok()?.signal());
        match (source.kind(), killer) {
            (io::ErrorKind::UnexpectedEof, Some(signal)) => {
                ProcessError::SupervisorKilled { signal }
            }
            _ => ProcessError::Supervisor {
                path: self.path.clone(),
                source,
            },
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
