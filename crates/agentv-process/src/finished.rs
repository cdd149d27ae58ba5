//! The result of a command that ended.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A command that ended, with its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The end of the command itself.
    pub status: Status,
    /// The beginning of what the tree wrote to stdout.
    pub stdout: Captured,
    /// The end of what the tree wrote to stderr.
    pub stderr: Captured,
    /// The time from the start of the command to its exit, without the time to end what it left behind.
    pub duration: Duration,
    /// True if every process of the tree is gone. False if one resists SIGKILL.
    pub tree_ended: bool,
}

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The process exited with this code.
    Exited(i32),
    /// The signal of this number ended the process.
    Signalled(i32),
}

impl Status {
    /// Returns true if the process exited with code 0.
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

/// Writes `exit code 3` or `signal 9 (SIGKILL)`.
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

/// Returns the name of a signal whose number is the same on every Unix.
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

/// The part of an output that was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes kept.
    pub bytes: Vec<u8>,
    /// The number of further bytes that were read and dropped.
    pub dropped: u64,
}

impl Captured {
    /// Returns true if the output was longer than the part that was kept.
    pub fn is_truncated(&self) -> bool {
        self.dropped > 0
    }

    /// Returns the text, with U+FFFD in place of bytes that are not UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }
}
