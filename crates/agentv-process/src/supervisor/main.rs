//! The supervisor: one thread that starts one command and ends its process tree.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    set_child_subreaper, setsid, wait,
};

use super::report::Report;
use super::signals::SignalPipe;
use super::{order, processes};
use crate::Status;
use crate::tree::PATIENCE;

/// The interval between two rounds of SIGKILL, for processes that start in between.
const INTERVAL: Duration = Duration::from_millis(10);

/// Supervises the command in `arguments`: a grace period in milliseconds, the program, its arguments.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Ok(socket) = io::stdin().as_fd().try_clone_to_owned() else {
        return ExitCode::FAILURE;
    };
    let mut socket = UnixStream::from(socket);
    match supervise(&mut socket, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let number = error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error());
            say(&mut socket, Report::NotStarted(number));
            ExitCode::FAILURE
        }
    }
}

fn supervise(
    socket: &mut UnixStream,
    mut arguments: impl Iterator<Item = OsString>,
) -> io::Result<()> {
    let grace = arguments
        .next()
        .and_then(|text| text.to_str()?.parse().ok());
    let (Some(grace), Some(program)) = (grace, arguments.next()) else {
        return Err(Errno::INVAL.into());
    };
    // A session of its own, so that signals to the terminal or to the parent's group do not arrive here.
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    let Some(stdin) = order::receive(&*socket)? else {
        return Ok(());
    };
    let signals = SignalPipe::install()?;
    let command = start(program, arguments, stdin)?;
    let mut tree = Tree {
        signals,
        command: Some(command),
    };
    tree.live(socket)?;
    let gone = tree.end(socket, Duration::from_millis(grace))?;
    say(socket, if gone { Report::Gone } else { Report::Left });
    Ok(())
}

/// Starts the command in a group of its own, and closes our copy of its stdin.
fn start(
    program: OsString,
    arguments: impl Iterator<Item = OsString>,
    stdin: Option<OwnedFd>,
) -> io::Result<Pid> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(stdin.map_or_else(Stdio::null, Stdio::from))
        .process_group(0)
        .spawn()?;
    Pid::from_raw(child.id().cast_signed()).ok_or(Errno::SRCH.into())
}

/// Writes a report. A failure is ignored, since the other side may be gone.
fn say(socket: &mut UnixStream, report: Report) {
    let _ = writeln!(socket, "{report}");
}

/// The descendants of this process.
struct Tree {
    signals: SignalPipe,
    /// The command, until it has exited.
    command: Option<Pid>,
}

impl Tree {
    /// Waits until the command exits or the tree is asked to end.
    fn live(&mut self, socket: &mut UnixStream) -> io::Result<()> {
        socket.set_nonblocking(true)?;
        loop {
            self.reap(socket)?;
            if self.command.is_none() || self.signals.asks_to_end() || is_closed(socket) {
                return socket.set_nonblocking(false);
            }
            self.signals.wait(Some(socket), None)?;
        }
    }

    /// Ends all descendants, and returns true if none is left.
    fn end(&mut self, socket: &mut UnixStream, grace: Duration) -> io::Result<bool> {
        if self.reap(socket)? {
            return Ok(true);
        }
        self.signal(Signal::TERM);
        let until = Instant::now() + grace;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.signals.wait(None, Some(left))?;
            if self.reap(socket)? {
                return Ok(true);
            }
        }
        // The children of a killed process become ours, and they may have started others, so repeat
        // this until there is none.
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            self.signal(Signal::KILL);
            self.signals.wait(None, Some(INTERVAL))?;
            if self.reap(socket)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for every child that has ended, and returns true if there is no other. A process without
    /// children has no descendants, since orphans become its children.
    fn reap(&mut self, socket: &mut UnixStream) -> io::Result<bool> {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if Some(child) == self.command => {
                    self.command = None;
                    say(socket, Report::Exited(status_of(status)));
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(false),
                Err(Errno::CHILD) => return Ok(true),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sends `signal` to every descendant, one group at a time, so that a process that forks and exits
    /// quickly cannot escape. The groups hold only descendants, since this process started a session.
    fn signal(&self, signal: Signal) {
        let own = getpid();
        let listed = processes::own().map(|own| processes::below(own.id));
        let found = listed.unwrap_or_default();
        let groups = found.iter().filter_map(|process| process.group);
        let mut groups: HashSet<Pid> = groups.chain(self.command).collect();
        groups.remove(&own);
        // Errors are ignored: a process may have ended, or belong to another user.
        for group in groups {
            let _ = kill_process_group(group, signal);
        }
        for process in found.iter().filter(|process| process.group == Some(own)) {
            let _ = kill_process(process.id, signal);
        }
    }
}

fn status_of(status: WaitStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Exited(code),
        (None, Some(signal)) => Status::Signalled(signal),
        (None, None) => unreachable!("only ends are waited for"),
    }
}

/// Checks whether the other side closed its end. It sends nothing after the order.
fn is_closed(socket: &mut UnixStream) -> bool {
    let read = socket.read(&mut [0]);
    !read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}
