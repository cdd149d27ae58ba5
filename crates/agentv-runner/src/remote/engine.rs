//! An engine that executes trials, and the coordination of one trial with it.

use std::sync::Arc;
use std::time::Duration;

use agentv_core::{BoxFuture, ProviderError, RunEvent, Stage, Step, Stop, Timing, Trial};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::consumer::Consumer;
use crate::schedule::budget::SetAside;
use crate::schedule::lane::Lane;
use crate::trial::execute::Executor;
use crate::trial::panic::catch_panic;
use crate::trial::records::errored_record;

/// An engine that executes trials elsewhere.
pub trait RemoteEngine: Send + Sync {
    /// Begins. `executor` has the limits of the run's targets, for calls that are made elsewhere.
    fn attach(&self, executor: &Arc<Executor>);

    /// Returns the number of trials of a lane that may be handed over and not ended at a time.
    fn slots(&self, workers: Option<usize>) -> usize;

    /// Hands a trial of a lane over. Returns its news, in order. If the receiver is dropped before the end,
    /// the trial is no longer wanted.
    fn execute(&self, trial: &Trial, lane: usize) -> UnboundedReceiver<RemoteNews>;

    /// Waits until the news that exist now are on disk, for a few seconds at most. Answers that were paid for
    /// are not lost when the run is stopped.
    fn caught_up(&self) -> BoxFuture<'_, ()>;
}

/// The news of a trial that is executed elsewhere.
pub enum RemoteNews {
    /// Work on the trial began, perhaps again.
    Begun,
    /// A step was done. It is acknowledged once it is on disk.
    Step(Box<Step>, Acknowledge),
}

/// The time after which it is known that a trial has begun elsewhere.
const BEGUN_KNOWN_AFTER: Duration = Duration::from_secs(1);

/// Reports to the engine that a step is on disk.
pub type Acknowledge = Box<dyn FnOnce() + Send>;

/// Hands a trial over and takes its steps until it ends. A trial that has not begun when the run is stopped
/// is left for a resume.
pub(crate) async fn work_elsewhere(
    engine: &dyn RemoteEngine,
    executor: &Executor,
    consumer: &Consumer,
    trial: &Trial,
    lane: &Lane,
    set_aside: Option<SetAside>,
) {
    let mut news = engine.execute(trial, lane.index);
    let mut handed = Handed {
        is_begun: false,
        answered: false,
        cost: None,
        set_aside,
    };
    let is_ended = loop {
        let stopped = async {
            if handed.is_begun {
                executor.stop.abortion().cancelled().await
            } else {
                executor.taking_none_up().await
            }
            engine.caught_up().await
        };
        let next = tokio::select! {
            biased;
            next = news.recv() => next,
            () = stopped => None,
        };
        let Some(next) = next else { break false };
        if !handed.is_begun {
            handed.is_begun = true;
            if consumer.begin(trial, Some(lane)).is_break() {
                break false;
            }
        }
        if let RemoteNews::Step(step, acknowledge) = next {
            let is_end = matches!(*step, Step::Ended(_));
            handed.pay_for(&step, lane);
            if consumer.take(*step).is_break() {
                break false;
            }
            acknowledge();
            if is_end {
                break true;
            }
        }
    };
    handed.settle(executor, lane);
    if handed.is_begun && !is_ended {
        consumer.abandon(trial);
    }
}

/// The state of a trial that was handed over.
struct Handed {
    is_begun: bool,
    answered: bool,
    /// The cost of its answer and of its judges so far.
    cost: Option<f64>,
    set_aside: Option<SetAside>,
}

impl Handed {
    fn pay_for(&mut self, step: &Step, lane: &Lane) {
        let cost = match step {
            Step::Answered(record) => {
                self.answered |= record.error.is_none();
                let seconds = record.timing.total_ms.unwrap_or_default() / 1000.0;
                lane.answered_in(Duration::try_from_secs_f64(seconds).unwrap_or_default());
                record.transcript.cost_usd
            }
            Step::Ended(record) => {
                let results = record.evaluator_results.iter();
                let calls = results.flat_map(|result| &result.judge_calls);
                calls
                    .filter_map(|call| call.cost_usd)
                    .reduce(|sum, cost| sum + cost)
            }
        };
        if let Some(cost) = cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }

    fn settle(&mut self, executor: &Executor, lane: &Lane) {
        if let Some(set_aside) = self.set_aside.take() {
            executor.settle(lane, set_aside, self.answered, self.cost);
        }
    }
}

impl Executor {
    /// Returns the end of a trial that could not be executed elsewhere.
    pub fn lost(&self, trial: &Trial, message: String) -> Step {
        let message = self.secrets.redact(&message).into_owned();
        let timing = Timing::default();
        Step::Ended(Box::new(errored_record(
            trial,
            Stage::Target,
            message,
            timing,
            0,
        )))
    }

    /// Passes on an event of a trial that is executed elsewhere, or a notice about that.
    pub fn pass_on(&self, event: RunEvent) {
        self.notify(event);
    }

    /// Makes the target of a lane ready to be asked.
    ///
    /// # Errors
    /// If it is not ready here. The executor can still execute the trials of other targets.
    pub async fn prepare_lane(&self, lane: usize) -> Result<(), ProviderError> {
        let Some(lane) = self.lanes.get(lane) else {
            return Ok(());
        };
        let preparing = lane.prepared.get_or_try_init(|| async {
            let cancel = self.stop.abortion().child_token();
            let preparing = async { lane.target.provider.prepare(&cancel).await };
            let prepared = catch_panic(preparing).await;
            prepared.unwrap_or_else(|panicked| Err(panicked.into()))
        });
        preparing.await.copied()
    }

    /// Returns true if no trial is to begin, not even one that was handed over. The budget pays for those.
    pub fn takes_none_up(&self) -> bool {
        self.stop.is_leaving() || !matches!(self.stop.reason(), None | Some(Stop::Budget))
    }

    /// Waits until no further trial is handed over.
    pub async fn stopped(&self) {
        self.stop.stopped().await;
    }

    /// Waits until no trial is to begin, not even one that was handed over, and those that have begun
    /// elsewhere are known.
    async fn taking_none_up(&self) {
        self.stop.stopped().await;
        if !self.takes_none_up() {
            self.stop.leaving().await;
        }
        tokio::select! {
            () = tokio::time::sleep(BEGUN_KNOWN_AFTER) => {}
            () = self.stop.abortion().cancelled() => {}
        }
    }
}
