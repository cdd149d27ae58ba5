//! Waiting for signals and for the socket at the same time.

use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use signal_hook::consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// A pipe that becomes readable when a child ends or when a signal asks this process to end.
///
/// Signals are caught rather than blocked or ignored, because a started command would inherit that.
pub(super) struct SignalPipe {
    rung: UnixStream,
    asked: Arc<AtomicBool>,
}

impl SignalPipe {
    pub(super) fn install() -> io::Result<Self> {
        let (rung, ring) = UnixStream::pair()?;
        rung.set_nonblocking(true)?;
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
            signal_hook::flag::register(signal, Arc::clone(&asked))?;
            signal_hook::low_level::pipe::register(signal, ring.try_clone()?)?;
        }
        signal_hook::low_level::pipe::register(SIGCHLD, ring)?;
        Ok(Self { rung, asked })
    }

    /// Returns true if a signal asked this process to end.
    pub(super) fn asks_to_end(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Waits until a signal arrives, `socket` is readable, or `at_most` has passed.
    pub(super) fn wait(
        &mut self,
        socket: Option<&UnixStream>,
        at_most: Option<Duration>,
    ) -> io::Result<()> {
        let at_most = at_most.and_then(|duration| Timespec::try_from(duration).ok());
        let mut watched = vec![PollFd::from_borrowed_fd(self.rung.as_fd(), PollFlags::IN)];
        if let Some(socket) = socket {
            watched.push(PollFd::from_borrowed_fd(socket.as_fd(), PollFlags::IN));
        }
        match poll(&mut watched, at_most.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut drain = [0; 64];
        while let Ok(1..) = self.rung.read(&mut drain) {}
        Ok(())
    }
}
