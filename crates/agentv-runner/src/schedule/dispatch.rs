//! The one loop that takes up trials, as many at a time as their lane allows.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use agentv_core::{ResultRecord, Step, Stop, TranscriptRecord, Trial, Work};
use tokio::sync::mpsc::Receiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use crate::consumer::Consumer;
use crate::remote::{RemoteEngine, work_elsewhere};
use crate::schedule::batch::Batch;
use crate::schedule::budget::{PaidCalls, SetAside};
use crate::schedule::comparisons::compared_cases;
use crate::schedule::dependencies::{Dependencies, Readiness, refused};
use crate::schedule::lane::Lane;
use crate::schedule::source::SourceItem;
use crate::trial::execute::{Executor, cost_of};
use crate::workspace::needs_workspace;

/// The time in which an engine learns that no further trial is to begin.
const BEGINS_WITHIN: Duration = Duration::from_millis(100);

/// The trials that are worked on together.
pub(crate) struct Dispatcher {
    pub(crate) executor: Arc<Executor>,
    pub(crate) consumer: Arc<Consumer>,
    /// The target that is asked; `None` if all answers exist.
    pub(crate) lane: Option<Arc<Lane>>,
    /// The number of trials in work at a time.
    pub(crate) slots: Arc<Semaphore>,
    /// No trial that asks is taken up if it would probably end after this.
    pub(crate) deadline: Option<Instant>,
    /// The engine that executes trials elsewhere.
    pub(crate) engine: Option<Arc<dyn RemoteEngine>>,
}

impl Dispatcher {
    /// Takes up trials until there are none, or the run is stopped. Returns when all of them ended.
    pub(crate) async fn run(self, mut items: Receiver<SourceItem>) {
        let is_batched = self.lane.as_ref();
        let is_batched = is_batched.is_some_and(|lane| lane.target.provider.batch().is_some())
            && self.engine.is_none();
        let dependencies = self.consumer.dependencies.get().cloned();
        let mut ends = dependencies.as_ref().map(|found| found.ends());
        let mut taking = Taking {
            batch: is_batched.then(Batch::default),
            in_flight: TaskTracker::new(),
            waiting: Vec::new(),
            dependencies,
            dispatcher: self,
        };
        let stop = taking.dispatcher.executor.stop.clone();
        let mut is_open = true;
        while is_open || !taking.waiting.is_empty() {
            let is_waiting = !taking.waiting.is_empty();
            let next_end = async {
                match &mut ends {
                    Some(ends) if is_waiting => drop(ends.changed().await),
                    Some(_) | None => std::future::pending().await,
                }
            };
            let taken_up = tokio::select! {
                biased;
                () = stop.stopped() => break,
                () = next_end => taking.take_up_ready().await,
                item = items.recv(), if is_open => match item {
                    Some(SourceItem::Trial(trial)) => taking.take_up_in_order(trial).await,
                    Some(SourceItem::Done(record)) => taking.pass_on(record),
                    None => {
                        is_open = false;
                        Some(())
                    }
                },
            };
            if taken_up.is_none() {
                break;
            }
            if !is_open && !stop.is_stopped() {
                // Trials that wait may depend on those of the batch.
                taking.take_up_rest().await;
            }
        }
        // The producer must not wait for a receiver that is gone.
        drop(items);
        taking.finish().await;
    }

    /// Waits until a call fits into budget and time; `None` if the run is stopped instead. `begun` is the
    /// part of the trial that an earlier run has paid.
    pub(crate) async fn admit(
        &self,
        lane: &Lane,
        begun: Option<&TranscriptRecord>,
    ) -> Option<SetAside> {
        let stop = &self.executor.stop;
        if let Some(deadline) = self.deadline
            && Instant::now() + lane.typical_latency() > deadline
        {
            stop.stop(Stop::Time);
            return None;
        }
        let paid = begun.map(PaidCalls::of);
        let admitted = tokio::select! {
            biased;
            () = stop.stopped() => return None,
            admitted = self.executor.budget.admit(lane.index, paid) => admitted,
        };
        if admitted.is_none() {
            stop.stop(Stop::Budget);
        }
        admitted
    }

    /// Stops the run when a trial that begins elsewhere would probably end after the deadline.
    async fn stop_in_time(&self) {
        let (Some(_), Some(deadline), Some(lane)) = (&self.engine, self.deadline, &self.lane)
        else {
            return std::future::pending().await;
        };
        loop {
            let needed = lane.typical_latency() + BEGINS_WITHIN;
            let latest = deadline.checked_sub(needed).unwrap_or(deadline);
            if Instant::now() >= latest {
                break;
            }
            tokio::time::sleep_until(latest.into()).await;
        }
        self.executor.stop.stop(Stop::Time);
    }

    /// Begins trials, asks their target once for all of them, and hands over their first steps. Returns
    /// those that have an answer to grade; `None` if none may begin.
    async fn ask_together(&self, lane: &Lane, trials: Vec<Trial>) -> Option<Vec<Trial>> {
        let batch = lane.target.provider.batch()?;
        if self.executor.stop.is_stopped() {
            return None;
        }
        let set_aside = self.admit(lane, None).await?;
        for (begun, trial) in trials.iter().enumerate() {
            if self.consumer.begin(trial, Some(lane)).is_break() {
                let begun = &trials[..begun];
                begun.iter().for_each(|trial| self.consumer.abandon(trial));
                return None;
            }
        }
        let steps = self.executor.ask_together(lane, batch, &trials).await;
        let (answered, cost) = cost_of(&steps);
        self.executor.settle(lane, set_aside, answered, cost);
        let stepped = trials.into_iter().zip(steps);
        let answered = stepped.filter_map(|(trial, step)| self.take_first(trial, step));
        Some(answered.collect())
    }

    /// Hands over the first step of a trial that has begun. Returns the trial if it has an answer to grade.
    fn take_first(&self, trial: Trial, step: Option<Step>) -> Option<Trial> {
        let answer = match &step {
            Some(Step::Answered(answer)) => Some(Arc::clone(answer)),
            Some(Step::Ended(_)) | None => None,
        };
        let taken = step.map(|step| self.consumer.take(step));
        if taken != Some(ControlFlow::Continue(())) {
            self.consumer.abandon(&trial);
            return None;
        }
        let recorded = true;
        answer.map(|answer| Trial {
            work: Work::Grade { answer, recorded },
            ..trial
        })
    }
}

/// A dispatcher at work.
struct Taking {
    dispatcher: Dispatcher,
    in_flight: TaskTracker,
    /// The trials that wait to be asked together.
    batch: Option<Batch>,
    /// The trials that wait for the end of those that they depend on.
    waiting: Vec<Trial>,
    dependencies: Option<Arc<Dependencies>>,
}

impl Taking {
    /// Takes up a trial, or lets it wait for those that it depends on.
    async fn take_up_in_order(&mut self, trial: Trial) -> Option<()> {
        let Some(dependencies) = self.dependencies.clone() else {
            return self.take_up(trial).await;
        };
        // An answer that exists needs no other.
        if trial.case.depends_on.is_empty() || !trial.work.asks() {
            return self.take_up(trial).await;
        }
        match dependencies.readiness(&trial) {
            Readiness::Waiting => {
                self.waiting.push(trial);
                Some(())
            }
            Readiness::Ready { absent } => {
                self.notice_absent(&trial, &absent);
                self.take_up(trial).await
            }
            Readiness::Failed(failed) => match refused(&trial, &failed) {
                Some(record) => self.pass_on(Box::new(record)),
                None => self.take_up(trial).await,
            },
        }
    }

    /// Takes up the trials that no longer wait. The end of one may be all that another waits for.
    async fn take_up_ready(&mut self) -> Option<()> {
        for trial in std::mem::take(&mut self.waiting) {
            self.take_up_in_order(trial).await?;
        }
        Some(())
    }

    /// Reports dependencies that the command line did not select.
    fn notice_absent(&self, trial: &Trial, absent: &[String]) {
        if absent.is_empty() || trial.number > 1 {
            return;
        }
        let names: Vec<String> = absent.iter().map(|id| format!("`{id}`")).collect();
        self.dispatcher.consumer.notice(&format!(
            "case `{}` runs without {}, which it depends on: it is not selected",
            trial.case.id,
            names.join(", ")
        ));
    }

    /// Asks for the trials of the last batch.
    async fn take_up_rest(&mut self) {
        let rest = self.batch.as_mut().map(Batch::take_rest);
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            self.take_up_batch(rest).await;
        }
    }

    /// Takes up a trial when there is room for it; `None` if no further one is to be taken up.
    async fn take_up(&mut self, trial: Trial) -> Option<()> {
        // A workspace belongs to one trial, which is therefore asked alone.
        let has_workspace = self.dispatcher.lane.as_ref().is_some_and(|lane| {
            let workspace = trial.case.workspace.as_deref();
            needs_workspace(workspace, lane.target.provider.as_ref())
        });
        if matches!(trial.work, Work::Ask)
            && !has_workspace
            && let Some(batch) = &mut self.batch
        {
            let complete = batch.add(trial);
            return self.take_up_batch(complete).await;
        }
        let taken_up = Instant::now();
        let stop = self.dispatcher.executor.stop.clone();
        let slot = self.slot(stop.stopped()).await?;
        let lane = self.dispatcher.lane.clone();
        let set_aside = match (&trial.work, &lane) {
            (work, Some(lane)) if work.asks() => {
                Some(self.dispatcher.admit(lane, work.begun()).await?)
            }
            _ => None,
        };
        if let (Some(engine), Some(lane)) = (&self.dispatcher.engine, &lane) {
            self.hand_over(Arc::clone(engine), trial, Arc::clone(lane), set_aside, slot);
            return Some(());
        }
        if self
            .dispatcher
            .consumer
            .begin(&trial, lane.as_deref())
            .is_break()
        {
            return None;
        }
        self.spawn(trial, lane, taken_up, set_aside, slot).await;
        Some(())
    }

    /// Hands over a result that is carried over; `None` if it cannot be written.
    fn pass_on(&self, record: Box<ResultRecord>) -> Option<()> {
        let taken = self.dispatcher.consumer.take(Step::Ended(record));
        taken.is_continue().then_some(())
    }

    /// Asks for all trials of a batch at once, then takes up each with its answer.
    async fn take_up_batch(&mut self, mut trials: Vec<Trial>) -> Option<()> {
        let lane = self.dispatcher.lane.clone()?;
        trials.sort_by_key(|trial| trial.number);
        let mut trials = trials.into_iter().peekable();
        while let Some(first) = trials.next() {
            let number = first.number;
            let mut repeat = vec![first];
            while let Some(next) = trials.next_if(|next| next.number == number) {
                repeat.push(next);
            }
            for trial in self.dispatcher.ask_together(&lane, repeat).await? {
                // These answers are paid for: only a user who waits for the end stops their grading.
                let stop = self.dispatcher.executor.stop.clone();
                match self.slot(stop.leaving()).await {
                    Some(slot) => self.spawn(trial, None, Instant::now(), None, slot).await,
                    None => self.dispatcher.consumer.abandon(&trial),
                }
            }
        }
        Some(())
    }

    /// Waits for room for a trial; `None` if the run ends first.
    async fn slot(&self, end: impl Future<Output = ()>) -> Option<OwnedSemaphorePermit> {
        tokio::select! {
            biased;
            slot = Arc::clone(&self.dispatcher.slots).acquire_owned() => slot.ok(),
            () = end => None,
        }
    }

    /// Hands a trial over to the engine.
    fn hand_over(
        &self,
        engine: Arc<dyn RemoteEngine>,
        trial: Trial,
        lane: Arc<Lane>,
        set_aside: Option<SetAside>,
        slot: OwnedSemaphorePermit,
    ) {
        let executor = Arc::clone(&self.dispatcher.executor);
        let consumer = Arc::clone(&self.dispatcher.consumer);
        self.in_flight.spawn(async move {
            let (executor, consumer) = (&executor, &consumer);
            work_elsewhere(&*engine, executor, consumer, &trial, &lane, set_aside).await;
            drop(slot);
        });
    }

    async fn spawn(
        &self,
        trial: Trial,
        lane: Option<Arc<Lane>>,
        taken_up: Instant,
        set_aside: Option<SetAside>,
        slot: OwnedSemaphorePermit,
    ) {
        let executor = Arc::clone(&self.dispatcher.executor);
        let consumer = Arc::clone(&self.dispatcher.consumer);
        let mut work = Box::pin(async move {
            work_on(
                &executor,
                &consumer,
                &trial,
                lane.as_deref(),
                taken_up,
                set_aside,
            )
            .await;
            drop(slot);
        });
        // Work that ends at once needs no task of its own.
        let first = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
        if first.is_pending() {
            self.in_flight.spawn(work);
        }
    }

    async fn finish(mut self) {
        if !self.dispatcher.executor.stop.is_stopped() {
            self.take_up_rest().await;
        }
        self.in_flight.close();
        tokio::select! {
            biased;
            () = self.in_flight.wait() => {}
            () = self.dispatcher.stop_in_time() => self.in_flight.wait().await,
        }
    }
}

/// Executes a trial that has begun, step by step. Each step is on disk before the next begins. A trial whose answer is
/// compared with others is kept until those exist.
pub(crate) async fn work_on(
    executor: &Executor,
    consumer: &Consumer,
    trial: &Trial,
    lane: Option<&Lane>,
    taken_up: Instant,
    set_aside: Option<SetAside>,
) {
    let waits = waits_for_others(executor, trial, lane);
    if waits && matches!(trial.work, Work::Grade { recorded: true, .. }) {
        return consumer.comparisons.keep(trial.clone());
    }
    let mut execution = executor.begin(trial, lane, taken_up, set_aside);
    let mut step = execution.next().await;
    while let Some(done) = step {
        let is_end = matches!(done, Step::Ended(_));
        let kept = match &done {
            Step::Answered(answer) if waits && answer.error.is_none() => Some(Arc::clone(answer)),
            Step::Answered(_) | Step::Ended(_) => None,
        };
        match consumer.take(done) {
            ControlFlow::Continue(()) if is_end => return,
            ControlFlow::Continue(()) if kept.is_some() => {
                return keep(consumer, trial, kept);
            }
            ControlFlow::Continue(()) => step = execution.next().await,
            ControlFlow::Break(()) => break,
        }
    }
    consumer.abandon(trial);
}

/// Returns true if the answer of a trial is compared with others that may not exist yet. A workspace would not outlive
/// the trial.
fn waits_for_others(executor: &Executor, trial: &Trial, lane: Option<&Lane>) -> bool {
    let workspace = trial.case.workspace.as_deref();
    !trial.is_compared
        && compared_cases(executor.graders.as_ref(), &trial.case).is_some()
        && lane.is_none_or(|lane| !needs_workspace(workspace, lane.target.provider.as_ref()))
}

/// Keeps a trial with its answer until those exist that it is compared with.
fn keep(consumer: &Consumer, trial: &Trial, answer: Option<Arc<TranscriptRecord>>) {
    if let Some(answer) = answer {
        consumer.comparisons.keep(Trial {
            work: Work::Grade {
                answer,
                recorded: true,
            },
            ..trial.clone()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the size of the future that a function of this form returns.
    fn size_of_future<F: Future>(
        _: impl FnOnce(
            &'static Executor,
            &'static Consumer,
            &'static Trial,
            Option<&'static Lane>,
            Instant,
            Option<SetAside>,
        ) -> F,
    ) -> usize {
        size_of::<F>()
    }

    #[test]
    fn thousands_of_trials_in_flight_take_little_memory() {
        let size = size_of_future(work_on);
        assert!(size <= 8 << 10, "{size} bytes per trial");
    }
}
