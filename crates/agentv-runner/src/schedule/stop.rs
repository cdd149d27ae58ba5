//! How a run is ended before it is done.

use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::Stop;
use tokio_util::sync::CancellationToken;

/// Ends a run from outside: a signal, a limit, a full disk.
///
/// The first reason is the one that counts, but a person who asks goes before a limit.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    /// No further trial is taken up.
    dispatch: CancellationToken,
    /// Somebody waits for the end: what is in flight gets a few seconds, and nothing more is sent.
    leave: CancellationToken,
    /// What is in flight is given up.
    abort: CancellationToken,
    /// What was given up is not waited for.
    at_once: CancellationToken,
    reason: Arc<Mutex<Option<Stop>>>,
}

impl StopHandle {
    /// Takes up no further trial. What is in flight ends in a few seconds where a person asks, and
    /// may end by itself where a limit is met: it is paid for.
    pub fn stop(&self, reason: Stop) {
        let mut first = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        if first.is_none_or(|first| is_asked(reason) && !is_asked(first)) {
            *first = Some(reason);
        }
        drop(first);
        self.dispatch.cancel();
        if is_asked(reason) {
            self.leave.cancel();
        }
    }

    /// Gives up what is in flight, too.
    pub fn abort(&self, reason: Stop) {
        self.stop(reason);
        self.leave.cancel();
        self.abort.cancel();
    }

    /// Gives up what is in flight, and does not wait for it: commands are ended by their
    /// supervisors.
    pub fn end_at_once(&self, reason: Stop) {
        self.abort(reason);
        self.at_once.cancel();
    }

    /// Why the run was stopped, where it was.
    pub fn reason(&self) -> Option<Stop> {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether no further trial is taken up.
    pub fn is_stopped(&self) -> bool {
        self.dispatch.is_cancelled()
    }

    /// Waits until no further trial is taken up.
    pub(crate) async fn stopped(&self) {
        self.dispatch.cancelled().await;
    }

    /// Waits until nothing more is to be sent, by trials that were taken up either.
    pub(crate) async fn leaving(&self) {
        self.leave.cancelled().await;
    }

    /// Waits until nothing is waited for.
    pub(crate) async fn at_once(&self) {
        self.at_once.cancelled().await;
    }

    /// What is cancelled when work in flight is given up.
    pub(crate) fn abortion(&self) -> &CancellationToken {
        &self.abort
    }
}

/// Whether somebody asked for the end, and waits for it.
fn is_asked(reason: Stop) -> bool {
    match reason {
        Stop::Interrupted | Stop::Terminated | Stop::HungUp => true,
        Stop::Budget | Stop::Time | Stop::Broken => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_goes_before_a_limit_and_a_limit_never_before_a_signal() {
        let stop = StopHandle::default();
        stop.stop(Stop::Budget);
        stop.stop(Stop::Time);
        assert_eq!(stop.reason(), Some(Stop::Budget));
        assert!(!stop.leave.is_cancelled());
        stop.stop(Stop::Terminated);
        stop.abort(Stop::Interrupted);
        stop.abort(Stop::Broken);
        assert_eq!(stop.reason(), Some(Stop::Terminated));
        assert!(stop.leave.is_cancelled());
    }
}
