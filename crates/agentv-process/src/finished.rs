//! How a command ended.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A command that has ended, and what it left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How the command itself ended.
    pub status: Status,
    /// The beginning of what the tree wrote to stdout.
    pub stdout: Captured,
    /// The end of what the tree wrote to stderr.
    pub stderr: Captured,
    /// From the start of the command until it exited, without the ending of what it left behind.
    pub duration: Duration,
    /// Whether every process of the tree is known to be gone; false if one resists SIGKILL.
    pub tree_ended: bool,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It exited with this code.
    Exited(i32),
    /// It was ended by the signal of this number.
    Signalled(i32),
}

impl Status {
    /// Whether it exited with code 0.
    pub fn success(self) -> bool {
        self == Self::Exited(0)
    }
}

impl From<std::process::ExitStatus> for Status {
    fn from(status: std::process::ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signalled(signal);
        }
        // Without a signal there is a code.
        Self::Exited(status.code().unwrap_or(-1))
    }
}

/// `exit code 3`, `signal 9 (SIGKILL)`.
impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Exited(code) => write!(f, "exit code {code}"),
            Self::Signalled(number) => match signal_name(number) {
                Some(name) => write!(f, "signal {number} ({name})"),
                None => write!(f, "signal {number}"),
            },
        }
    }
}

/// The names of the signals whose numbers are the same on every Unix.
fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}

/// What was kept of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes kept.
    pub bytes: Vec<u8>,
    /// How many more were written, read and dropped.
    pub dropped: u64,
}

impl Captured {
    /// Whether more was written than was kept.
    pub fn is_truncated(&self) -> bool {
        self.dropped > 0
    }

    /// As text, with U+FFFD in place of what is not UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
