//! A terminal that a program is shown on.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::Duration;

use nix::pty::{OpenptyResult, Winsize, openpty};

use crate::crash::Running;

/// A terminal of some width that a program is shown on.
#[derive(Debug)]
pub struct Terminal {
    shown: File,
    program: OwnedFd,
}

impl Terminal {
    /// A terminal with so many columns, and 24 rows.
    ///
    /// # Errors
    /// When the system has none to give.
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

    /// Starts a command whose three streams are this terminal. What it shows is to be read from the file;
    /// when that is dropped, the terminal is closed.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(self, mut command: Command) -> io::Result<(Running, File)> {
        command
            .stdin(self.program.try_clone()?)
            .stdout(self.program.try_clone()?)
            .stderr(self.program);
        // What is shown ends when the last has closed the terminal, and the command holds it, too.
        let running = Running::start(&mut command)?;
        Ok((running, self.shown))
    }

    /// Runs a command whose three streams are this terminal, and gives all that it showed.
    ///
    /// # Errors
    /// When it cannot be started, or does not end within `longest`.
    pub fn show(self, command: Command, longest: Duration) -> io::Result<(ExitStatus, String)> {
        let (running, mut shown) = self.start(command)?;
        let reader = thread::spawn(move || {
            let mut bytes = Vec::new();
            // The end of a terminal is an error to the system.
            let _ = shown.read_to_end(&mut bytes);
            bytes
        });
        let status = running.wait(longest)?;
        let bytes = reader.join().unwrap_or_default();
        Ok((status, String::from_utf8_lossy(&bytes).into_owned()))
    }
}
