//! The tasks that watch over a run: they sync its files, and end it in time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agentv_core::{RunEvent, Stop};
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::consumer::Consumer;
use crate::failure::RunError;
use crate::schedule::stop::{StopHandle, is_asked};

/// The notice to a user who asked for the end.
const LEAVING: &str =
    "requests in flight get a few seconds to finish; interrupt again to stop at once";

/// The time that abandoned work gets to end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// The time that it gets after a second request to stop.
const MOMENT: Duration = Duration::from_millis(300);

/// Waits for the end of `work` while the files are synced and the limits of time are kept.
pub(crate) async fn watch(
    consumer: &Arc<Consumer>,
    stop: &StopHandle,
    deadline: Option<Instant>,
    grace: Duration,
    work: impl Future<Output = ()>,
) {
    let over = CancellationToken::new();
    let guards = [
        tokio::spawn(sync_regularly(Arc::clone(consumer), over.clone())),
        tokio::spawn(unless(
            over.clone(),
            abort_after(Arc::clone(consumer), stop.clone(), grace),
        )),
        tokio::spawn(unless(over.clone(), end_in_time(stop.clone(), deadline))),
    ];
    tokio::select! {
        () = work => {}
        // Work that does not end by itself ends with the process.
        () = aborted(stop) => {}
    }
    over.cancel();
    // The guards hold the journal, and with it the lock of the folder.
    join_all(guards).await;
}

/// Waits until aborted work has had its time.
async fn aborted(stop: &StopHandle) {
    stop.abortion().cancelled().await;
    tokio::select! {
        () = tokio::time::sleep(LAST_WORDS) => {}
        () = stop.at_once() => tokio::time::sleep(MOMENT).await,
    }
}

/// Does some work unless the run is over first.
async fn unless(over: CancellationToken, work: impl Future<Output = ()>) {
    tokio::select! {
        // Work that is due is done, however soon the run is over.
        biased;
        () = work => {}
        () = over.cancelled() => {}
    }
}

async fn sync_regularly(consumer: Arc<Consumer>, over: CancellationToken) {
    let mut ticks = tokio::time::interval(agentv_journal::SYNC_INTERVAL);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = over.cancelled() => return,
        }
        let consumer = Arc::clone(&consumer);
        let synced = tokio::task::spawn_blocking(move || {
            if let Err(error) = consumer.journal.sync() {
                consumer.failure.set(RunError::Write(error));
            }
        });
        let _ = synced.await;
    }
}

async fn abort_after(consumer: Arc<Consumer>, stop: StopHandle, grace: Duration) {
    stop.stopped().await;
    let Some(reason) = stop.reason() else {
        return;
    };
    if is_asked(reason) {
        consumer.notice(LEAVING);
    }
    consumer.notify(&RunEvent::Stopping { reason });
    stop.leaving().await;
    if !is_asked(reason) && stop.reason().is_some_and(is_asked) {
        consumer.notice(LEAVING);
    }
    tokio::time::sleep(grace).await;
    stop.abort(reason);
}

async fn end_in_time(stop: StopHandle, deadline: Option<Instant>) {
    let Some(deadline) = deadline else { return };
    tokio::time::sleep_until(deadline.into()).await;
    stop.abort(Stop::Time);
}
