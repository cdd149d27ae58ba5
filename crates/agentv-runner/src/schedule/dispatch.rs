//! From trials to work in flight, as many at a time as the lane allows.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use agentv_core::Stop;
use tokio::sync::mpsc::Receiver;
use tokio_util::task::TaskTracker;

use crate::cache::lookup::is_cached;
use crate::run_state::RunState;
use crate::schedule::batch::{Batch, run_batch};
use crate::schedule::budget::SetAside;
use crate::schedule::lane::Lane;
use crate::trial::job::{Job, Work};
use crate::trial::run_trial::run_trial;

/// Takes up the trials of one lane until there are none, or the run is stopped; returns when all
/// that were taken up have ended.
pub(crate) async fn dispatch(run: Arc<RunState>, lane: Arc<Lane>, mut jobs: Receiver<Job>) {
    let mut dispatcher = Dispatcher {
        in_flight: TaskTracker::new(),
        batch: lane.target.provider.batch().map(|_| Batch::default()),
        run,
        lane,
    };
    loop {
        let job = tokio::select! {
            biased;
            () = dispatcher.run.stop.stopped() => break,
            job = jobs.recv() => job,
        };
        let Some(job) = job else { break };
        if dispatcher.take_up(job).await.is_none() {
            break;
        }
    }
    // Whoever produces trials is not kept waiting for somebody to take them.
    drop(jobs);
    dispatcher.finish().await;
}

struct Dispatcher {
    run: Arc<RunState>,
    lane: Arc<Lane>,
    in_flight: TaskTracker,
    batch: Option<Batch>,
}

impl Dispatcher {
    /// Takes up a trial when there is room for it; `None` when no further one is to be taken up.
    async fn take_up(&mut self, job: Job) -> Option<()> {
        let taken_up = Instant::now();
        let asks = matches!(job.work, Work::Ask);
        if asks
            && let Some(batch) = &mut self.batch
            && !is_cached(&self.run, &job)
        {
            let gathered = batch.add(job);
            if !gathered.is_empty() {
                run_batch(Arc::clone(&self.run), gathered).await;
            }
            return Some(());
        }
        let slot = tokio::select! {
            biased;
            slot = Arc::clone(&self.lane.slots).acquire_owned() => slot.ok()?,
            () = self.run.stop.stopped() => return None,
        };
        let set_aside = match asks {
            true => Some(admit(&self.run, &self.lane).await?),
            false => None,
        };
        let trial = run_trial(Arc::clone(&self.run), job, taken_up, set_aside);
        let mut trial = Box::pin(async move {
            trial.await;
            drop(slot);
        });
        // What ends at once needs no task of its own.
        let first = poll_fn(|context| Poll::Ready(trial.as_mut().poll(context))).await;
        if first.is_pending() {
            self.in_flight.spawn(trial);
        }
        Some(())
    }

    async fn finish(self) {
        if let Some(batch) = self.batch
            && !self.run.stop.is_stopped()
        {
            run_batch(Arc::clone(&self.run), batch.rest()).await;
        }
        self.in_flight.close();
        self.in_flight.wait().await;
    }
}

/// Holds what is about to be asked against budget and time; `None` when the run is stopped.
pub(crate) async fn admit(run: &RunState, lane: &Lane) -> Option<SetAside> {
    if let Some(deadline) = run.deadline
        && Instant::now() + lane.typical_latency() > deadline
    {
        run.stop.stop(Stop::Time);
        return None;
    }
    let admitted = tokio::select! {
        biased;
        admitted = run.budget.admit(lane.index) => admitted,
        () = run.stop.stopped() => return None,
    };
    if admitted.is_none() {
        run.stop.stop(Stop::Budget);
    }
    admitted
}
