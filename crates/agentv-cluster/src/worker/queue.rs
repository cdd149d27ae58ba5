//! The queue of a target: a worker takes as many trials as it has room for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::message::AckKind;
use futures_util::StreamExt;
use tokio::sync::OwnedSemaphorePermit;

use super::joined_run::JoinedRun;
use super::live::Worker;
use super::trial::work_on;
use crate::names::RunNames;

/// The pause after an error of the server, and while no trial may begin.
const PAUSE: Duration = Duration::from_millis(200);

/// The time that slots wait at a queue. The only queue of a worker may keep them longer: nothing else needs them.
const TURN: Duration = Duration::from_millis(20);
const TURN_OF_ONLY_QUEUE: Duration = Duration::from_secs(1);

/// The shortest and the longest pause before an empty queue gets its next turn.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(500));

/// The time for which the server keeps a trial that may not begin.
const NOT_SOON: Duration = Duration::from_secs(60);

/// The most trials that are taken at once.
const MOST_AT_ONCE: usize = 64;

/// Takes trials of a target until the run is over, or the worker leaves.
pub(super) async fn work_on_lane(worker: Arc<Worker>, run: Arc<JoinedRun>, lane: usize) {
    let _queue = worker.queues.enter();
    let taking = async {
        loop {
            if run.is_stopping() || !worker.hears(&run.id) {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            match take(&worker, &run, lane).await {
                Ok(Next::Look) => {}
                Ok(Next::Leave) => return,
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    };
    tokio::select! {
        () = taking => {}
        () = run.over.cancelled() => {}
        () = worker.leave.soon.cancelled() => {}
    }
}

/// The next step after trials were taken.
enum Next {
    /// Look at the state of the run.
    Look,
    /// Take no further trials: the worker ends.
    Leave,
}

/// The number of queues that a worker takes trials from, of all its runs.
#[derive(Default)]
pub(super) struct QueueCount(AtomicUsize);

impl QueueCount {
    /// Counts a queue until the result is dropped.
    fn enter(&self) -> CountedQueue<'_> {
        self.0.fetch_add(1, Ordering::Relaxed);
        CountedQueue(self)
    }

    /// Returns the time that slots may wait at a queue.
    fn turn(&self) -> Duration {
        if self.0.load(Ordering::Relaxed) > 1 {
            TURN
        } else {
            TURN_OF_ONLY_QUEUE
        }
    }
}

/// A queue that is counted.
struct CountedQueue<'c>(&'c QueueCount);

impl Drop for CountedQueue<'_> {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
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

/// Takes trials for the slots that are free, and works on each, as long as trials may begin.
async fn take(
    worker: &Arc<Worker>,
    run: &Arc<JoinedRun>,
    lane: usize,
) -> Result<Next, async_nats::Error> {
    let consumer = worker
        .jetstream
        .get_consumer_from_stream::<pull::Config, _, _>(
            RunNames::lane_consumer(lane),
            run.names.trials(),
        )
        .await?;
    let (shortest, longest) = PAUSES;
    let mut pause = shortest;
    loop {
        let Some(mut slots) = free_slots(worker).await else {
            return Ok(Next::Leave);
        };
        let (wanted, turn) = (slots.len(), worker.queues.turn());
        let mut batch = consumer
            .batch()
            .max_messages(wanted)
            .expires(turn)
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
            let (worker, run) = (Arc::clone(worker), Arc::clone(run));
            let working = work_on(Arc::clone(&worker), run, lane, message, slot);
            worker.in_flight.spawn(working);
        }
        let is_empty = slots.len() == wanted;
        drop(slots);
        if run.is_stopping() || !worker.hears(&run.id) {
            return Ok(Next::Look);
        }
        if is_empty && turn == TURN {
            // The other queues get the slots meanwhile.
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(longest);
        } else {
            pause = shortest;
        }
    }
}
