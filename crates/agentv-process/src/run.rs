//! The runner of commands.

use std::fmt;
use std::io;
#[cfg(target_os = "linux")]
use std::path::PathBuf;
use std::pin::Pin;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::capture::{Capture, Keep};
use crate::dialogue::{CommandInput, Dialogue, Ending, OutputLines, Talked};
use crate::group::Group;
use crate::sandbox::{Container, enter};
#[cfg(unix)]
use crate::sandbox::{Loopback, lacks_program};
#[cfg(target_os = "linux")]
use crate::supervisor::Supervised;
use crate::tree::{Ended, PATIENCE, Pipes, Tree};
use crate::{CommandSpec, Finished, ProcessError, Status};

/// A runner of commands, with its way to end their process trees.
#[derive(Debug, Clone)]
pub struct Runner {
    means: Means,
}

#[derive(Debug, Clone)]
enum Means {
    #[cfg(target_os = "linux")]
    Supervisor(PathBuf),
    Group,
}

/// The reason to stop waiting for a command.
#[derive(Debug)]
enum End {
    Exited(Status),
    DeadlinePassed,
    Cancelled,
    /// The caller has heard enough.
    Stopped,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Exited(Status::Exited(code)) => write!(f, "exit code {code}"),
            End::Exited(Status::Signalled(signal)) => write!(f, "signal {signal}"),
            End::DeadlinePassed => f.write_str("deadline passed"),
            End::Cancelled => f.write_str("cancelled"),
            End::Stopped => f.write_str("stopped"),
        }
    }
}

impl Runner {
    /// Creates the best runner for this platform. On Linux this program is the supervisor, even if its
    /// file is replaced while it runs, so its `main` must call [`supervise`](crate::supervise()) first.
    pub fn of_this_program() -> Self {
        #[cfg(target_os = "linux")]
        return Self::supervised_by("/proc/self/exe");
        #[cfg(not(target_os = "linux"))]
        Self::in_groups()
    }

    /// Creates a runner with the program at `path`, preferably absolute, as the supervisor. Its `main`
    /// must call [`supervise`](crate::supervise()) first.
    #[cfg(target_os = "linux")]
    pub fn supervised_by(path: impl Into<PathBuf>) -> Self {
        Self {
            means: Means::Supervisor(path.into()),
        }
    }

    /// Creates a runner with process groups (job objects on Windows) and no supervisor. On Unix,
    /// processes that leave the group keep running, and so do all if this program is killed by SIGKILL.
    pub fn in_groups() -> Self {
        Self {
            means: Means::Group,
        }
    }

    /// Runs a command until it exits, and then ends the processes that it left behind.
    ///
    /// Writes stdin and reads both outputs at the same time. Output beyond the limits is read and
    /// dropped, so that the command never blocks. Takes at most the deadline, the grace period and a
    /// few seconds until killed processes are gone. Dropping the future also ends the tree.
    ///
    /// # Errors
    /// If the command cannot be started, passes its deadline, or is cancelled. A command that fails by
    /// itself is not an error: see [`Finished::status`].
    pub fn run<'r>(
        &'r self,
        spec: CommandSpec,
        cancel: &'r CancellationToken,
    ) -> Pin<Box<dyn Future<Output = Result<Finished, ProcessError>> + Send + 'r>> {
        // Boxed: a caller in another crate would compile the whole future again.
        Box::pin(self.run_to_end(spec, cancel))
    }

    async fn run_to_end(
        &self,
        spec: CommandSpec,
        cancel: &CancellationToken,
    ) -> Result<Finished, ProcessError> {
        let (spec, container, _loopback) = enter_sandbox(spec)?;
        let (tree, pipes) = self.start(&spec, cancel)?;
        let started = Instant::now();
        let program = spec.program.display();

        let mut stdout = Capture::new(Keep::Beginning, spec.stdout_limit);
        let mut stderr = Capture::new(Keep::End, spec.stderr_limit);
        let gone = CancellationToken::new();
        let living = async {
            let lived = live(tree, &spec, cancel, &never(), started).await;
            gone.cancel();
            lived
        };
        let talking = async {
            tokio::join!(
                feed(pipes.stdin, spec.stdin.as_deref()),
                stdout.read(pipes.stdout),
                stderr.read(pipes.stderr),
            );
        };
        let (lived, ()) = tokio::join!(living, until_overdue(talking, &gone));
        let (end, ended, duration) = lived?;
        self.clear(container, &end).await;
        tracing::debug!(%program, %end, ?duration, "command ended");

        let finished = |status| Finished {
            status,
            stdout: stdout.finish(),
            stderr: stderr.finish(),
            duration,
            tree_ended: ended.whole,
        };
        match end {
            End::Exited(status) => Ok(finished(status)),
            End::Cancelled | End::Stopped => Err(ProcessError::Cancelled),
            End::DeadlinePassed => Err(ProcessError::DeadlinePassed {
                program: spec.program.clone(),
                deadline: spec.deadline,
                partial: Box::new(finished(ended.status.unwrap_or(Status::Signalled(9)))),
            }),
        }
    }

    /// Runs a command while `talk` listens to its stdout, and ends its tree when `talk` returns.
    ///
    /// If the command exits, or passes its deadline, or is cancelled, its tree ends, and `talk` reads
    /// the rest of its output: its result is returned in every case. It must return when the output
    /// ends; the command then has a few seconds to exit by itself. Dropping the future also ends the tree.
    ///
    /// # Errors
    /// If the command cannot be started, or its supervisor fails.
    pub async fn talk<T>(
        &self,
        spec: CommandSpec,
        cancel: &CancellationToken,
        talk: impl AsyncFnOnce(Dialogue) -> T,
    ) -> Result<Talked<T>, ProcessError> {
        let (mut spec, container, _loopback) = enter_sandbox(spec)?;
        let given = spec.stdin.take();
        // A pipe, whoever writes to it.
        spec.stdin = Some(Vec::new());
        let (tree, pipes) = self.start(&spec, cancel)?;
        let started = Instant::now();
        let (fed, kept) = match given {
            Some(_) => (pipes.stdin, None),
            None => (None, pipes.stdin),
        };
        let [gone, overdue, heard_enough, said_all] = [(); 4].map(|()| CancellationToken::new());
        let dialogue = Dialogue {
            stdin: kept.map(CommandInput),
            stdout: OutputLines::new(pipes.stdout, overdue.clone(), said_all.clone()),
            exited: gone.clone(),
        };
        let mut stderr = Capture::new(Keep::End, spec.stderr_limit);
        let living = async {
            let lived = live(tree, &spec, cancel, &heard_enough, started).await;
            gone.cancel();
            // Another program may hold the pipe open for ever.
            let _ = timeout(PATIENCE, heard_enough.cancelled()).await;
            overdue.cancel();
            lived
        };
        let talking = async {
            let result = talk(dialogue).await;
            if said_all.is_cancelled() {
                // The command is about to exit, and its exit code counts.
                let _ = timeout(PATIENCE, gone.cancelled()).await;
            }
            heard_enough.cancel();
            result
        };
        let rest = async {
            tokio::join!(feed(fed, given.as_deref()), stderr.read(pipes.stderr));
        };
        let (lived, result, ()) = tokio::join!(living, talking, until_overdue(rest, &gone));
        let (end, ended, duration) = lived?;
        self.clear(container, &end).await;
        Ok(Talked {
            result,
            ending: match end {
                End::Exited(status) => Ending::Exited(status),
                End::DeadlinePassed => Ending::DeadlinePassed,
                End::Cancelled => Ending::Cancelled,
                End::Stopped => Ending::Stopped,
            },
            stderr: stderr.finish(),
            duration,
            tree_ended: ended.whole,
        })
    }

    /// Removes the container of a command that did not exit by itself: it may outlive the program that
    /// started it.
    async fn clear(&self, container: Option<Container>, end: &End) {
        let Some(container) = container else { return };
        if !matches!(end, End::Exited(Status::Exited(_))) {
            // A run that is being stopped removes its containers too.
            let _ = self.run(container.removal(), &never()).await;
        }
    }

    fn start(
        &self,
        spec: &CommandSpec,
        cancel: &CancellationToken,
    ) -> Result<(Tree, Pipes), ProcessError> {
        if cancel.is_cancelled() {
            return Err(ProcessError::Cancelled);
        }
        check_directory(spec)?;
        // Arguments and variables are not logged: they may hold secrets.
        let program = spec.program.display();
        tracing::debug!(%program, deadline = ?spec.deadline, "command started");
        match &self.means {
            #[cfg(target_os = "linux")]
            Means::Supervisor(path) => Supervised::start(path, spec)
                .map(|(tree, pipes)| (Tree::Supervised(Box::new(tree)), pipes)),
            Means::Group => {
                let (tree, pipes) = Group::start(spec)?;
                Ok((Tree::Group(tree), pipes))
            }
        }
    }
}

/// Puts a command behind its wall, if it has one. Returns its container too, and what keeps its ports
/// reachable.
#[cfg(unix)]
fn enter_sandbox(
    spec: CommandSpec,
) -> Result<(CommandSpec, Option<Container>, Loopback), ProcessError> {
    let program = spec.program.clone();
    if lacks_program(&spec) {
        return Err(ProcessError::NotFound { program });
    }
    let failed = |source| ProcessError::Start { program, source };
    let entered = Loopback::open(spec.sandbox.as_ref()).and_then(|loopback| {
        let (spec, container) = enter(spec)?;
        Ok((spec, container, loopback))
    });
    entered.map_err(failed)
}

/// Puts a command behind its wall, if it has one. Returns its container too.
#[cfg(not(unix))]
fn enter_sandbox(spec: CommandSpec) -> Result<(CommandSpec, Option<Container>, ()), ProcessError> {
    let program = spec.program.clone();
    let failed = |source| ProcessError::Start { program, source };
    let (spec, container) = enter(spec).map_err(failed)?;
    Ok((spec, container, ()))
}

/// Checks the working directory, since the system reports a missing folder like a missing program.
fn check_directory(spec: &CommandSpec) -> Result<(), ProcessError> {
    let Some(path) = &spec.directory else {
        return Ok(());
    };
    let found = std::fs::metadata(path).and_then(|found| {
        if found.is_dir() {
            Ok(())
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    });
    found.map_err(|source| ProcessError::WorkingDirectory {
        path: path.clone(),
        source,
    })
}

/// Waits until the command exits, passes its deadline, is cancelled, or the caller has heard enough,
/// and then ends its tree.
async fn live(
    mut tree: Tree,
    spec: &CommandSpec,
    cancel: &CancellationToken,
    heard_enough: &CancellationToken,
    started: Instant,
) -> Result<(End, Ended, Duration), ProcessError> {
    let end = tokio::select! {
        biased;
        status = tree.exited(spec) => status.map(End::Exited),
        () = cancel.cancelled() => Ok(End::Cancelled),
        () = heard_enough.cancelled() => Ok(End::Stopped),
        () = sleep(spec.deadline) => Ok(End::DeadlinePassed),
    };
    let duration = started.elapsed();
    let ended = tree.end(spec).await;
    Ok((end?, ended, duration))
}

/// Returns a token that nobody cancels.
fn never() -> CancellationToken {
    CancellationToken::new()
}

/// Writes `bytes` to stdin, as far as the command reads it.
async fn feed(stdin: Option<Box<dyn tokio::io::AsyncWrite + Send + Unpin>>, bytes: Option<&[u8]>) {
    if let (Some(mut stdin), Some(bytes)) = (stdin, bytes) {
        let _ = stdin.write_all(bytes).await;
        let _ = stdin.shutdown().await;
    }
}

/// Waits for `talking`, but at most [`PATIENCE`] after the end of the tree: another program may hold a
/// pipe open for ever.
async fn until_overdue(talking: impl Future<Output = ()>, gone: &CancellationToken) {
    let overdue = async {
        gone.cancelled().await;
        sleep(PATIENCE).await;
    };
    tokio::select! {
        () = talking => {}
        () = overdue => {}
    }
}
