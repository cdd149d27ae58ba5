//! Requests to stop on Unix: the signals SIGINT, SIGTERM and SIGHUP.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use super::StopRequest;

/// The requests to stop, in the order of their arrival.
pub(crate) struct StopRequests(Signals);

/// Ends the iteration over requests.
pub(crate) struct Closer(Handle);

impl StopRequests {
    /// Takes over the signals. SIGHUP keeps its effect if the process was started to ignore it.
    pub(crate) fn take_over() -> io::Result<StopRequests> {
        let signals = Signals::new([SIGINT, SIGTERM])?;
        if !outlives_its_terminal() {
            signals.add_signal(SIGHUP)?;
        }
        Ok(StopRequests(signals))
    }

    pub(crate) fn closer(&self) -> Closer {
        Closer(self.0.handle())
    }
}

impl Iterator for StopRequests {
    type Item = StopRequest;

    /// Waits for the next request. Returns `None` once the iteration is closed.
    fn next(&mut self) -> Option<StopRequest> {
        Some(match self.0.forever().next()? {
            SIGTERM => StopRequest::Terminate,
            SIGHUP => StopRequest::HangUp,
            _ => StopRequest::Interrupt,
        })
    }
}

impl Closer {
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

/// Checks if this process was started to ignore SIGHUP, as `nohup` does. Returns true if the system does not say,
/// so that its default applies.
fn outlives_its_terminal() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        return true;
    };
    let mut lines = status.lines();
    let ignored = lines.find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_none_or(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}
