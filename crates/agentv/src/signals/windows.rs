//! Requests to stop on Windows: Ctrl-C, Ctrl-Break, a closed console, and the end of the session.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

use super::StopRequest;

/// The requests to stop, in the order of their arrival.
pub(crate) struct StopRequests {
    /// `None` ends the iteration.
    received: Receiver<Option<StopRequest>>,
    sender: Sender<Option<StopRequest>>,
}

/// Ends the iteration over requests.
pub(crate) struct Closer(Sender<Option<StopRequest>>);

impl StopRequests {
    /// Takes over the console's events.
    pub(crate) fn take_over() -> io::Result<StopRequests> {
        let (sender, received) = channel();
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let entered = runtime.enter();
        let (mut interrupts, mut breaks) = (ctrl_c()?, ctrl_break()?);
        let (mut closes, mut shutdowns) = (ctrl_close()?, ctrl_shutdown()?);
        drop(entered);
        let heard = sender.clone();
        thread::spawn(move || {
            runtime.block_on(async move {
                loop {
                    let request = tokio::select! {
                        Some(()) = interrupts.recv() => StopRequest::Interrupt,
                        Some(()) = breaks.recv() => StopRequest::Interrupt,
                        Some(()) = closes.recv() => StopRequest::HangUp,
                        Some(()) = shutdowns.recv() => StopRequest::Terminate,
                        else => return,
                    };
                    if heard.send(Some(request)).is_err() {
                        return;
                    }
                }
            });
        });
        Ok(StopRequests { received, sender })
    }

    pub(crate) fn closer(&self) -> Closer {
        Closer(self.sender.clone())
    }
}

impl Iterator for StopRequests {
    type Item = StopRequest;

    /// Waits for the next request. Returns `None` once the iteration is closed.
    fn next(&mut self) -> Option<StopRequest> {
        self.received.recv().ok().flatten()
    }
}

impl Closer {
    pub(crate) fn close(&self) {
        // If nobody listens any more, there is nothing to close.
        let _ = self.0.send(None);
    }
}
