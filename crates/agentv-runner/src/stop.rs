//! How a run is ended before it is done.

use std::sync::{Arc, OnceLock};

use agentv_core::Stop;
use tokio_util::sync::CancellationToken;

/// Ends a run from outside: a signal, a limit, a full disk.
///
/// The first reason is the one that counts.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    /// No further trial is taken up.
    dispatch: CancellationToken,
    /// What is in flight is given up.
    abort: CancellationToken,
    reason: Arc<OnceLock<Stop>>,
}

impl StopHandle {
    /// Takes up no further trial; what is in flight may end in a few seconds.
    pub fn stop(&self, reason: Stop) {
        let _ = self.reason.set(reason);
        self.dispatch.cancel();
    }

    /// Gives up what is in flight, too.
    pub fn abort(&self, reason: Stop) {
        self.stop(reason);
        self.abort.cancel();
    }

    /// Why the run was stopped, where it was.
    pub fn reason(&self) -> Option<Stop> {
        self.reason.get().copied()
    }

    /// Whether no further trial is taken up.
    pub fn is_stopped(&self) -> bool {
        self.dispatch.is_cancelled()
    }

    /// Waits until no further trial is taken up.
    pub(crate) async fn stopped(&self) {
        self.dispatch.cancelled().await;
    }

    /// What is cancelled when work in flight is given up.
    pub(crate) fn abortion(&self) -> &CancellationToken {
        &self.abort
    }
}
