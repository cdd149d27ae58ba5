//! A pseudo-terminal for a program.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use nix::pty::{OpenptyResult, Winsize, openpty};

use crate::crash::Running;

/// A pseudo-terminal with a certain width.
#[derive(Debug)]
pub struct Terminal {
    shown: File,
    program: OwnedFd,
}

impl Terminal {
    /// Opens a terminal with this many columns and 24 rows.
    ///
    /// # Errors
    /// Fails if the system has no free one.
    pub fn open(columns: u16) -> io::Result<Terminal> {
        let size = Winsize {
            ws_row: 24,
            ws_col: columns,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        let OpenptyResult { master, slave } = openpty(Some(&size), None)?;
        Ok(Terminal {
            shown: master.into(),
            program: slave,
        })
    }

    /// Starts a command whose three streams are this terminal. The returned file reads the screen;
    /// dropping it closes the terminal.
    ///
    /// # Errors
    /// Fails if it cannot be started.
    pub fn start(self, mut command: Command) -> io::Result<(Running, File)> {
        command
            .stdin(self.program.try_clone()?)
            .stdout(self.program.try_clone()?)
            .stderr(self.program);
        // The screen ends when the last handle is closed, and the command holds handles too.
        let running = Running::start(&mut command)?;
        Ok((running, self.shown))
    }

    /// Runs a command whose three streams are this terminal, and returns everything it showed.
    ///
    /// # Errors
    /// Fails if it cannot be started, or does not end within `longest`.
    pub fn show(self, command: Command, longest: Duration) -> io::Result<(ExitStatus, String)> {
        let (running, mut shown) = self.start(command)?;
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            // The system reports the end of a terminal as an error.
            let _ = shown.read_to_end(&mut bytes);
            bytes
        });
        let status = running.wait(longest)?;
        let bytes = reader.join().unwrap_or_default();
        Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
    }
}
