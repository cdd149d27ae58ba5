//! A command that gets a signal at a chosen moment of its work.

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

/// The moment that something is done at.
#[derive(Debug, Clone)]
pub enum Moment<'a> {
    /// A file has at least so many lines.
    Lines(&'a Path, u64),
    /// A file is there.
    Exists(&'a Path),
    /// A server was called at least so often.
    Calls(&'a ModelServer, u64),
}

/// A command that runs. Dropped before its end, it is killed with all that descend from it, so that
/// a test that fails leaves nothing behind.
#[derive(Debug)]
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts a command.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(command: &mut Command) -> io::Result<Running> {
        signals::reset_in_children();
        let child = command.spawn()?;
        Ok(Running { child })
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The process, for its input and outputs.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits for a moment; false if the command ended before it.
    ///
    /// # Errors
    /// When it does not come within `longest`, or the file cannot be read.
    pub fn until(&mut self, moment: &Moment<'_>, longest: Duration) -> io::Result<bool> {
        let mut watch = Watch::new(moment);
        let deadline = Instant::now() + longest;
        loop {
            // The other way round, an ended command could have reached it unseen.
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

    /// Sends a signal to the process alone.
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal(&self, signal: Signal) -> io::Result<()> {
        Ok(kill(process(self.id())?, signal)?)
    }

    /// Sends a signal to the group of the process, as a terminal does. The command must have been
    /// given one of its own (`process_group(0)`).
    ///
    /// # Errors
    /// When it is gone.
    pub fn signal_group(&self, signal: Signal) -> io::Result<()> {
        Ok(killpg(process(self.id())?, signal)?)
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// When it does not end within `longest`.
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
        // The id of one that has ended may be another's by now.
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        let send = |id: u32, signal| process(id).and_then(|process| Ok(kill(process, signal)?));
        // One that is stopped starts no other: nobody is missed who comes while we look.
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
/// When it cannot be started, or the moment or the end does not come within `longest`.
pub fn signal_at(
    command: &mut Command,
    signal: Signal,
    moment: &Moment<'_>,
    longest: Duration,
) -> io::Result<ExitStatus> {
    let mut running = Running::start(command)?;
    // One that has ended is gone for good once somebody has looked; one that ends now still waits
    // for that, and takes the signal.
    if running.until(moment, longest)? && running.child.try_wait()?.is_none() {
        running.signal(signal)?;
    }
    running.wait(longest)
}

/// Looks whether a moment has come, with little work each time.
enum Watch<'a> {
    Lines(Lines, u64),
    Exists(&'a Path),
    Calls(&'a ModelServer, u64),
}

impl<'a> Watch<'a> {
    fn new(moment: &Moment<'a>) -> Watch<'a> {
        match *moment {
            Moment::Lines(file, lines) => Watch::Lines(Lines::of(file), lines),
            Moment::Exists(file) => Watch::Exists(file),
            Moment::Calls(server, calls) => Watch::Calls(server, calls),
        }
    }

    /// Whether it has come; if not, some time has passed.
    fn has_come(&mut self) -> io::Result<bool> {
        let come = match self {
            Watch::Lines(lines, wanted) => lines.count()? >= *wanted,
            Watch::Exists(file) => file.exists(),
            Watch::Calls(server, calls) => return Ok(server.wait_for_calls(*calls, PAUSE)),
        };
        if !come {
            sleep(PAUSE);
        }
        Ok(come)
    }
}

/// Counts the lines of a file that grows, and reads each byte once.
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

    /// The whole lines so far; none if there is no file.
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
