//! A command that gets a signal at a chosen moment.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{kill, killpg};
use nix::unistd::Pid;

pub use nix::sys::signal::Signal;

use crate::model::ModelServer;
use crate::processes;
use crate::signals;

const PAUSE: Duration = Duration::from_millis(1);

/// A moment to wait for.
#[derive(Debug, Clone)]
pub enum Moment<'a> {
    /// A file has at least this many lines.
    Lines(&'a Path, u64),
    /// A file exists.
    Exists(&'a Path),
    /// Something of this name exists in a folder, or in a folder in it.
    Below(&'a Path, &'a str),
    /// A server has received at least this many calls.
    Calls(&'a ModelServer, u64),
}

/// A running command. If it is dropped early, it is killed together with its descendants, so that a
/// failed test leaves nothing behind.
#[derive(Debug)]
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts a command.
    ///
    /// # Errors
    /// Fails if it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Running> {
        signals::reset_in_children();
        let child = command.spawn()?;
        Ok(Running { child })
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the process, for its input and outputs.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for a moment; returns false if the command ended first.
    ///
    /// # Errors
    /// Fails if the moment does not come within `longest`, or the file cannot be read.
    pub fn until(&mut self, moment: &Moment<'_>, longest: Duration) -> io::Result<bool> {
        let mut watch = Watch::new(moment);
        let deadline = Instant::now() + longest;
        loop {
            // In the other order, a command could reach the moment and end unnoticed.
            let ended = self.child.try_wait()?.is_some();
            if watch.has_come()? {
                return Ok(true);
            }
            if ended {
                return Ok(false);
            }
            if Instant::now() > deadline {
                return Err(io::Error::new(
                    io::ErrorKind::TimedOut,
                    format!("waited in vain for {moment:?}"),
                ));
            }
        }
    }

    /// Sends a signal to the process only.
    ///
    /// # Errors
    /// Fails if the process is gone.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(kill(process(self.id())?, signal)?)
    }

    /// Sends a signal to the process group, as a terminal does. The command must have its own group
    /// (`process_group(0)`).
    ///
    /// # Errors
    /// Fails if the process is gone.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        Ok(killpg(process(self.id())?, signal)?)
    }

    /// Waits for the command to end.
    ///
    /// # Errors
    /// Fails if it does not end within `longest`.
    pub fn wait(mut self, longest: Duration) -> io::Result<ExitStatus> {
        let deadline = Instant::now() + longest;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                let message = format!("process {} does not end", self.id());
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            sleep(PAUSE);
        }
    }
}

fn process(id: u32) -> io::Result<Pid> {
    i32::try_from(id)
        .map(Pid::from_raw)
        .map_err(io::Error::other)
}

impl Drop for Running {
    fn drop(&mut self) {
        // The id of an ended process may belong to another one by now.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let send = |id: u32, signal| process(id).and_then(|process| Ok(kill(process, signal)?));
        // A stopped process starts no other, so none is missed that starts in the meantime.
        let _ = send(self.id(), Signal::SIGSTOP);
        let mut stopped: Vec<u32> = Vec::new();
        loop {
            let mut new = processes::descendants(self.id());
            new.retain(|id| !stopped.contains(id));
            if new.is_empty() {
                break;
            }
            for id in new {
                let _ = send(id, Signal::SIGSTOP);
                stopped.push(id);
            }
        }
        for id in stopped {
            let _ = send(id, Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a command, sends it a signal at `moment`, and waits for its end. A command that ends
/// before the moment gets no signal.
///
/// # Errors
/// Fails if it cannot be started, or the moment or the end does not come within `longest`.
pub fn signal_at(
    command: &mut Command,
    signal: Signal,
    moment: &Moment<'_>,
    longest: Duration,
) -> io::Result<ExitStatus> {
    let mut running = Running::start(command)?;
    // An ended process is gone once it has been reaped; one that ends right now has not been
    // reaped, and accepts the signal.
    if running.until(moment, longest)? && running.child.try_wait()?.is_none() {
        running.signal(signal)?;
    }
    running.wait(longest)
}

/// A cheap check for a moment.
enum Watch<'a> {
    Lines(Lines, u64),
    Exists(&'a Path),
    Below(&'a Path, &'a str),
    Calls(&'a ModelServer, u64),
}

impl<'a> Watch<'a> {
    fn new(moment: &Moment<'a>) -> Watch<'a> {
        match *moment {
            Moment::Lines(file, lines) => Watch::Lines(Lines::of(file), lines),
            Moment::Exists(file) => Watch::Exists(file),
            Moment::Below(folder, name) => Watch::Below(folder, name),
            Moment::Calls(server, calls) => Watch::Calls(server, calls),
        }
    }

    /// Checks if the moment has come; if not, some time has passed.
    fn has_come(&mut self) -> io::Result<bool> {
        let come = match self {
            Watch::Lines(lines, wanted) => lines.count()? >= *wanted,
            Watch::Exists(file) => file.exists(),
            Watch::Below(folder, name) => is_below(folder, name),
            Watch::Calls(server, calls) => return Ok(server.wait_for_calls(*calls, PAUSE)),
        };
        if !come {
            sleep(PAUSE);
        }
        Ok(come)
    }
}

/// Checks for something of this name in a folder, or in a folder in it.
fn is_below(folder: &Path, name: &str) -> bool {
    let inner = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = inner.map(|entry| entry.path());
    std::iter::once(folder.to_owned())
        .chain(folders)
        .any(|folder| folder.join(name).exists())
}

/// A counter of the lines of a growing file, which reads each byte once.
struct Lines {
    path: PathBuf,
    read: u64,
    lines: u64,
}

impl Lines {
    fn of(path: &Path) -> Lines {
        Lines {
            path: path.to_owned(),
            read: 0,
            lines: 0,
        }
    }

    /// Returns the number of complete lines; 0 if there is no file.
    fn count(&mut self) -> io::Result<u64> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() > self.read {
            file.seek(SeekFrom::Start(self.read))?;
            let mut piece = [0; 64 << 10];
            loop {
                let length = file.read(&mut piece)?;
                if length == 0 {
                    break;
                }
                let lines = piece[..length].iter().filter(|&&byte| byte == b'\n');
                self.lines += lines.count() as u64;
                self.read += length as u64;
            }
        }
        Ok(self.lines)
    }
}
