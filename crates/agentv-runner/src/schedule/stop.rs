//! The handle that ends a run early.

use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::Stop;
use tokio_util::sync::CancellationToken;

/// Ends a run from outside: a signal, a limit, a full disk.
///
/// The first reason counts, but a signal replaces a limit.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    /// Cancelled when no further trial is started.
    dispatch: CancellationToken,
    /// Cancelled when the user waits for the end: work in flight gets a few seconds, and nothing
    /// more is sent.
    leave: CancellationToken,
    /// Cancelled when work in flight is aborted.
    abort: CancellationToken,
    /// Cancelled when aborted work is not waited for.
    at_once: CancellationToken,
    reason: Arc<Mutex<Option<Stop>>>,
}

impl StopHandle {
    /// Starts no further trial. Work in flight gets a few seconds after a signal, and ends by
    /// itself after a limit: it is paid for.
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

    /// Aborts work in flight, too.
    pub fn abort(&self, reason: Stop) {
        self.stop(reason);
        self.leave.cancel();
        self.abort.cancel();
    }

    /// Aborts work in flight without waiting for it: supervisors end the commands.
    pub fn end_at_once(&self, reason: Stop) {
        self.abort(reason);
        self.at_once.cancel();
    }

    /// Returns the reason of an early stop.
    pub fn reason(&self) -> Option<Stop> {
        *self.reason.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if no further trial is started.
    pub fn is_stopped(&self) -> bool {
        self.dispatch.is_cancelled()
    }

    /// Waits until no further trial is started.
    pub async fn stopped(&self) {
        self.dispatch.cancelled().await;
    }

    /// Waits until nothing more is sent, not even by trials in flight.
    pub(crate) async fn leaving(&self) {
        self.leave.cancelled().await;
    }

    /// Returns true if nothing more is sent, not even by trials in flight.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leave.is_cancelled()
    }

    /// Waits until aborted work is no longer waited for.
    pub async fn at_once(&self) {
        self.at_once.cancelled().await;
    }

    /// Returns the token that is cancelled when work in flight is aborted.
    pub(crate) fn abortion(&self) -> &CancellationToken {
        &self.abort
    }
}

/// Returns true if a user or the system asked for the end, and waits for it.
pub(crate) fn is_asked(reason: Stop) -> bool {
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
