//! The queue of a target: a worker takes as many trials as it has room for.

use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::message::AckKind;
use futures_util::StreamExt;
use tokio::sync::OwnedSemaphorePermit;

use super::joined_run::JoinedRun;
use super::live::Worker;
use super::trial::work_on;
use crate::names::RunNames;

/// The pause before the server is asked again.
const PAUSE: Duration = Duration::from_millis(200);

/// The time for which the server keeps a trial that may not begin.
const NOT_SOON: Duration = Duration::from_secs(60);

/// The most trials that are taken at once.
const MOST_AT_ONCE: usize = 64;

/// Takes trials of a target until the run is over, or the worker leaves.
pub(super) async fn work_on_lane(
    worker: Arc<Worker>,
    run: Arc<JoinedRun>,
    lane: usize,
    is_alone: bool,
) {
    // The only queue may be waited at. Of several, each is asked in turn.
    let patience = if is_alone {
        Duration::from_secs(5)
    } else {
        Duration::from_millis(250)
    };
    let taking = async {
        loop {
            if run.is_stopping() || !worker.hears(&run.id) {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            let Some(slots) = free_slots(&worker).await else {
                return;
            };
            if take(&worker, &run, lane, slots, patience).await.is_err() {
                tokio::time::sleep(PAUSE).await;
            }
        }
    };
    tokio::select! {
        () = taking => {}
        () = run.over.cancelled() => {}
        () = worker.leave.soon.cancelled() => {}
    }
}

/// Waits for a free slot, and returns it with others that are free.
async fn free_slots(worker: &Arc<Worker>) -> Option<Vec<OwnedSemaphorePermit>> {
    let first = Arc::clone(&worker.slots).acquire_owned().await.ok()?;
    let mut slots = vec![first];
    while slots.len() < MOST_AT_ONCE
        && let Ok(slot) = Arc::clone(&worker.slots).try_acquire_owned()
    {
        slots.push(slot);
    }
    Some(slots)
}

/// Takes trials for the slots that are free, and works on each.
async fn take(
    worker: &Arc<Worker>,
    run: &Arc<JoinedRun>,
    lane: usize,
    mut slots: Vec<OwnedSemaphorePermit>,
    patience: Duration,
) -> Result<(), async_nats::Error> {
    let consumer = worker
        .jetstream
        .get_consumer_from_stream::<pull::Config, _, _>(
            RunNames::lane_consumer(lane),
            run.names.trials(),
        )
        .await?;
    loop {
        let mut batch = consumer
            .batch()
            .max_messages(slots.len())
            .expires(patience)
            .messages()
            .await?;
        while let Some(message) = batch.next().await {
            let message = message?;
            let Some(slot) = slots.pop() else { break };
            if run.is_stopping() {
                // The server had promised it. Nobody wants it before the run is resumed.
                let _ = message.ack_with(AckKind::Nak(Some(NOT_SOON))).await;
                continue;
            }
            worker
                .in_flight
                .spawn(work_on(Arc::clone(worker), Arc::clone(run), message, slot));
        }
        drop(slots);
        if run.is_stopping() || !worker.hears(&run.id) {
            return Ok(());
        }
        match free_slots(worker).await {
            Some(free) => slots = free,
            None => return Ok(()),
        }
    }
}
