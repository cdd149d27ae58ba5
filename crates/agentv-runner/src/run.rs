//! A whole run: sources of trials, one executor, one consumer.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use agentv_core::{BoxFuture, Planned, RunEvent, Stop, Target, TookPart, Trial};
use futures_util::future::join_all;
use tokio::sync::Semaphore;

use crate::assignment::Assignment;
use crate::cache::Cache;
use crate::case_list::CaseList;
use crate::case_source::CaseSource;
use crate::consumer::{Consumer, SharedReporter};
use crate::failure::{Failure, RunError};
use crate::journal::Journal;
use crate::regrade::answer_trials::{AnswerTrials, GradedTarget};
use crate::regrade::answers::AnswerSource;
use crate::remote::RemoteEngine;
use crate::resume::outdated::mark_outdated;
use crate::resume::previous_run::PreviousRun;
use crate::schedule::budget::Budget;
use crate::schedule::case_trials::CaseTrials;
use crate::schedule::channel::{ChannelSender, bounded_channel};
use crate::schedule::comparisons::{Comparisons, compare};
use crate::schedule::dispatch::Dispatcher;
use crate::schedule::lane::Lane;
use crate::schedule::selection::Selection;
use crate::schedule::source::{SourceItem, TrialSource};
use crate::schedule::stop::StopHandle;
use crate::schedule::watch::watch;
use crate::trial::execute::{Executor, ExecutorSpec};
use crate::trial::grade::Graders;
use crate::trial::judges::prepare;
use crate::workspace::RunWorkspaces;

/// A run that was checked. Nothing was asked yet.
pub struct RunSpec {
    /// The trials.
    pub trials: TrialsSpec,
    /// The targets that answer. None of a grading's.
    pub targets: Vec<Target>,
    /// The targets that only judge. Their positions follow those of `targets`.
    pub judges: Vec<Target>,
    /// The assignment of cases to targets and judges.
    pub assignment: Assignment,
    /// The amount of work, for the reporters.
    pub planned: Planned,
    /// The source of evaluators.
    pub graders: Arc<dyn Graders>,
    /// The records of the run.
    pub journal: Journal,
    /// The work that was done before a resume.
    pub previous_run: PreviousRun,
    /// Answers of other runs.
    pub cache: Option<Cache>,
    /// The most that the run may cost, in US dollars.
    pub budget: Option<f64>,
    /// The longest that it may take.
    pub max_time: Option<Duration>,
    /// True if evaluators with more effort are skipped after a required one has failed the case.
    pub stop_on_required: bool,
    /// True if results hold the messages of the target.
    pub include_trace: bool,
    /// The place for workspaces, if any trial may need one.
    pub workspaces: Option<Arc<RunWorkspaces>>,
    /// True if records hold requests and responses as they were sent.
    pub include_raw: bool,
    /// The folder that prompts are written to.
    pub dump_prompts: Option<PathBuf>,
    /// The time that work in flight gets once the user asks for the end.
    pub grace: Duration,
    /// The engine that executes the trials elsewhere.
    pub engine: Option<Arc<dyn RemoteEngine>>,
    /// True if a selected case depends on others.
    pub has_dependencies: bool,
}

impl RunSpec {
    /// Returns a run of all cases of a list against one target, once each and without limits. Other runs change
    /// the fields.
    pub fn new(
        cases: CaseList,
        target: Target,
        graders: Arc<dyn Graders>,
        journal: Journal,
    ) -> RunSpec {
        let mut assignment = Assignment {
            chosen: vec![target.name.clone()],
            ..Assignment::default()
        };
        assignment.assign(0, target.name.clone(), 0);
        RunSpec {
            trials: TrialsSpec::Cases {
                source: Arc::new(cases),
                selection: Selection::default(),
                trials: 1,
                dry_run: false,
            },
            targets: vec![target],
            judges: Vec::new(),
            assignment,
            planned: Planned::default(),
            graders,
            journal,
            previous_run: PreviousRun::default(),
            cache: None,
            budget: None,
            max_time: None,
            stop_on_required: false,
            include_trace: false,
            workspaces: None,
            include_raw: false,
            dump_prompts: None,
            grace: Duration::ZERO,
            engine: None,
            has_dependencies: true,
        }
    }
}

/// The trials of a run.
pub enum TrialsSpec {
    /// Cases that are asked, then graded.
    Cases {
        /// The cases.
        source: Arc<dyn CaseSource>,
        /// The cases and trials that are selected.
        selection: Selection,
        /// The number of trials per case and target.
        trials: u32,
        /// True if mocks replace the targets.
        dry_run: bool,
    },
    /// Answers that exist and are only graded.
    Answers {
        /// The answers, each with the case that it is graded by.
        source: Arc<dyn AnswerSource>,
        /// The targets that gave the answers, by the index of their eval file and their name.
        targets: HashMap<(usize, String), GradedTarget>,
    },
}

/// The end of a run.
#[derive(Debug, Default)]
pub struct Ended {
    /// The reason of an early stop.
    pub stop: Option<Stop>,
    /// The error that ended it.
    pub error: Option<RunError>,
    /// The offsets of the results that count, in file order; `None` for a new run, where all do.
    pub counted: Option<Vec<u64>>,
    /// True if results that are out of date may lack their mark, because the run ended before it was set.
    pub lacks_marks: bool,
    /// The workers and machines that took part, if trials were executed elsewhere.
    pub took_part: Option<TookPart>,
}

/// Runs all trials. Returns when the last one ended, or the run was stopped. Everything that ended is in
/// the journal.
pub fn run(spec: RunSpec, stop: StopHandle, reporter: SharedReporter) -> BoxFuture<'static, Ended> {
    // Boxed: a caller in another crate would compile the whole future again.
    Box::pin(run_to_end(spec, stop, reporter))
}

async fn run_to_end(spec: RunSpec, stop: StopHandle, reporter: SharedReporter) -> Ended {
    let (planned, grace) = (spec.planned, spec.grace);
    let run = Run::open(spec, stop, reporter);
    let (consumer, stop) = (Arc::clone(&run.consumer), run.executor.stop.clone());
    consumer.notify(&RunEvent::Planned(planned));
    let deadline = run.deadline;
    let workspaces = run.executor.workspaces.clone();
    let has_marks = Arc::clone(&run.has_marks);
    watch(&consumer, &stop, deadline, grace, run.work()).await;
    if let Some(workspaces) = workspaces {
        workspaces.remove().await;
    }
    if let Err(error) = consumer.journal.sync() {
        consumer.failure.set(RunError::Write(error));
    }
    Ended {
        stop: stop.reason(),
        error: consumer.failure.take(),
        counted: consumer.journal.counted(),
        lacks_marks: !has_marks.load(Ordering::Acquire),
        took_part: None,
    }
}

/// An open run: its trials, and the executor that turns them into outcomes.
pub struct Run {
    executor: Arc<Executor>,
    consumer: Arc<Consumer>,
    previous_run: Arc<PreviousRun>,
    queues: Vec<Queue>,
    deadline: Option<Instant>,
    /// Set once every result that is out of date has its mark.
    has_marks: Arc<AtomicBool>,
    engine: Option<Arc<dyn RemoteEngine>>,
    has_dependencies: bool,
}

/// A source of trials, and the lane that they ask.
struct Queue {
    source: Arc<dyn TrialSource>,
    lane: Option<Arc<Lane>>,
    slots: Arc<Semaphore>,
}

/// The number of answers that are graded at a time beyond those that the judges have room for.
const LEAST_AT_ONCE: usize = 8;

impl Run {
    /// Opens a run. Its limit of time begins now.
    pub fn open(spec: RunSpec, stop: StopHandle, reporter: SharedReporter) -> Run {
        let deadline = spec.max_time.map(|limit| Instant::now() + limit);
        let failure = Arc::new(Failure::new(stop.clone()));
        let spending = spec.previous_run.spending().unwrap_or_else(|error| {
            failure.set(RunError::Read(error));
            None
        });
        let spent = spending
            .as_ref()
            .map(|spending| spending.by_target().clone());
        let is_resumed = !spec.previous_run.is_empty();
        let consumer = Arc::new(Consumer {
            journal: if is_resumed {
                spec.journal.counting()
            } else {
                spec.journal
            },
            reporter,
            cache: spec.cache,
            cache_failed: AtomicBool::new(false),
            warned: Default::default(),
            spending: spending.map(Mutex::new),
            dump_prompts: spec.dump_prompts,
            failure: Arc::clone(&failure),
            comparisons: Comparisons::default(),
            dependencies: OnceLock::new(),
        });
        let (mut targets, mut judges) = (spec.targets, spec.judges);
        if spec.engine.is_some() {
            let limited = targets.iter_mut().chain(&mut judges);
            limited.for_each(|target| target.limits.leave_workers_to_machines());
        }
        let notified = Arc::clone(&consumer);
        let executor_spec = ExecutorSpec {
            targets,
            judges,
            assignment: Arc::new(spec.assignment),
            graders: spec.graders,
            stop,
            stop_on_required: spec.stop_on_required,
            include_trace: spec.include_trace,
            include_raw: spec.include_raw,
            secrets: consumer.secrets().clone(),
            workspaces: spec.workspaces,
            notify: Arc::new(move |event| notified.notify(&event)),
            gate: None,
        };
        let mut executor = Executor::with_failure(executor_spec, failure);
        if let Some(limit) = spec.budget {
            let names = executor.lanes.iter().map(|lane| &*lane.name);
            let spent = spent.unwrap_or_default();
            executor.budget = Arc::new(Budget::new(Some(limit), &spent, names));
        }
        let executor = Arc::new(executor);
        if let Some(engine) = &spec.engine {
            engine.attach(&executor);
        }
        let previous_run = Arc::new(spec.previous_run);
        let mut queues = queues(spec.trials, &executor, &consumer, Arc::clone(&previous_run));
        for queue in &mut queues {
            if let (Some(engine), Some(lane)) = (&spec.engine, &queue.lane) {
                let limits = &lane.target.limits;
                let workers = limits.has_own_workers.then_some(limits.workers);
                let slots = engine.slots(workers).clamp(1, Semaphore::MAX_PERMITS);
                queue.slots = Arc::new(Semaphore::new(slots));
            }
        }
        Run {
            executor,
            consumer,
            previous_run,
            queues,
            deadline,
            has_marks: Arc::new(AtomicBool::new(!is_resumed)),
            engine: spec.engine,
            has_dependencies: spec.has_dependencies,
        }
    }

    /// Returns the executor of the run's trials. It can also execute trials that another process sent.
    pub fn executor(&self) -> &Arc<Executor> {
        &self.executor
    }

    /// Visits all trials that are left, in order, until `visit` breaks. Nothing is asked or written. The
    /// results that a grading carries over are not trials.
    ///
    /// # Errors
    /// Fails if an eval file or a record can no longer be read.
    pub fn visit_trials(
        &self,
        visit: &mut dyn FnMut(Trial) -> ControlFlow<()>,
    ) -> Result<(), RunError> {
        let mut flow = ControlFlow::Continue(());
        for queue in &self.queues {
            queue.source.produce(&mut |item| {
                if let SourceItem::Trial(trial) = item {
                    flow = visit(trial);
                }
                flow
            })?;
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Reports the work that was done before, prepares the targets that are needed, then works on all
    /// queues side by side.
    async fn work(self) {
        self.find_dependencies().await;
        let recalled = self.queues.iter().map(|queue| {
            let source = Arc::clone(&queue.source);
            tokio::task::spawn_blocking(move || source.recall())
        });
        let mut needed = Vec::new();
        for (recalled, queue) in join_all(recalled).await.into_iter().zip(&self.queues) {
            // A panic there must not hide the work that is left.
            match recalled.unwrap_or(Ok(true)) {
                Ok(asks) => needed.extend(queue.lane.iter().filter(|_| asks)),
                Err(error) => self.consumer.failure.set(error),
            }
        }
        self.mark_outdated().await;
        if self.engine.is_none() {
            join_all(needed.iter().map(|lane| prepare(&self.executor, lane))).await;
        }
        if self.executor.stop.is_stopped() {
            self.executor.end_targets().await;
            return;
        }
        let mut work = Vec::new();
        for queue in self.queues {
            let (sender, receiver) = bounded_channel();
            let (source, consumer) = (queue.source, Arc::clone(&self.consumer));
            work.push(tokio::task::spawn_blocking(move || {
                let mut sender = ChannelSender::new(&sender);
                let produced = source.produce(&mut |item| sender.send(item));
                if let Err(error) = produced {
                    consumer.failure.set(error);
                }
            }));
            let dispatcher = Dispatcher {
                executor: Arc::clone(&self.executor),
                consumer: Arc::clone(&self.consumer),
                lane: queue.lane,
                slots: queue.slots,
                deadline: self.deadline,
                engine: self.engine.clone(),
            };
            work.push(tokio::spawn(dispatcher.run(receiver)));
        }
        join_all(work).await;
        let workers = self.executor.lanes.iter();
        let workers = workers.map(|lane| lane.target.limits.workers);
        let at_once = workers.fold(LEAST_AT_ONCE, usize::saturating_add);
        compare(&self.executor, &self.consumer, at_once).await;
        self.executor.end_targets().await;
    }

    /// Finds the trials that others depend on, before any result is reported.
    async fn find_dependencies(&self) {
        if !self.has_dependencies {
            return;
        }
        for source in self.queues.iter().map(|queue| Arc::clone(&queue.source)) {
            let finding = tokio::task::spawn_blocking(move || source.dependencies());
            match finding.await {
                Ok(Ok(Some(dependencies))) => {
                    let _ = self.consumer.dependencies.set(Arc::new(dependencies));
                    return;
                }
                Ok(Ok(None)) | Err(_) => {}
                Ok(Err(error)) => self.consumer.failure.set(error),
            }
        }
    }

    /// Marks results that are out of date before anything is asked, so that a run that is killed leaves none
    /// without its mark.
    async fn mark_outdated(&self) {
        let Some(folder) = self.previous_run.folder().cloned() else {
            return;
        };
        if self.consumer.failure.is_set() {
            return;
        }
        let consumer = Arc::clone(&self.consumer);
        let queues = self.queues.iter();
        let sources: Vec<_> = queues.map(|queue| Arc::clone(&queue.source)).collect();
        let marking =
            tokio::task::spawn_blocking(move || mark_outdated(&consumer, &folder, &sources));
        match marking.await {
            Ok(Ok(())) => self.has_marks.store(true, Ordering::Release),
            Ok(Err(error)) => self.consumer.failure.set(error),
            // A panic there must not hide the work that is left.
            Err(_) => {}
        }
    }
}

/// Returns one queue per lane that answers, or a single one if all answers exist.
fn queues(
    trials: TrialsSpec,
    executor: &Arc<Executor>,
    consumer: &Arc<Consumer>,
    previous_run: Arc<PreviousRun>,
) -> Vec<Queue> {
    match trials {
        TrialsSpec::Cases {
            source,
            selection,
            trials,
            dry_run,
        } => {
            let selection = Arc::new(selection);
            let lanes = executor.answering_lanes().iter();
            let queues = lanes.map(|lane| Queue {
                slots: Arc::clone(&lane.slots),
                lane: Some(Arc::clone(lane)),
                source: Arc::new(CaseTrials {
                    executor: Arc::clone(executor),
                    consumer: Arc::clone(consumer),
                    source: Arc::clone(&source),
                    selection: Arc::clone(&selection),
                    previous_run: Arc::clone(&previous_run),
                    lane: Arc::clone(lane),
                    trials,
                    dry_run,
                    done: OnceLock::new(),
                    said_untracked: AtomicBool::new(false),
                }),
            });
            queues.collect()
        }
        TrialsSpec::Answers { source, targets } => {
            let workers = executor.lanes.iter().map(|lane| lane.target.limits.workers);
            let at_once = workers.fold(LEAST_AT_ONCE, usize::saturating_add);
            vec![Queue {
                slots: Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS))),
                lane: None,
                source: Arc::new(AnswerTrials {
                    executor: Arc::clone(executor),
                    consumer: Arc::clone(consumer),
                    source,
                    previous_run,
                    targets,
                }),
            }]
        }
    }
}
