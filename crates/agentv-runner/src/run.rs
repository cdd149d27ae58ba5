//! A whole run: lanes side by side, until all is done or somebody stops it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use agentv_core::{EvalCase, Planned, RunEvent, Stop, Target};
use futures_util::future::join_all;
use tokio_util::sync::CancellationToken;

use crate::cache::store::Cache;
use crate::eval_file::{CaseSource, EvalFile};
use crate::journal::Journal;
use crate::resume::previous_run::PreviousRun;
use crate::run_state::{RunError, RunState, SharedReporter};
use crate::schedule::budget::Budget;
use crate::schedule::channel::bounded_channel;
use crate::schedule::dispatch::dispatch;
use crate::schedule::lane::Lane;
use crate::schedule::produce::Producer;
use crate::schedule::selection::Selection;
use crate::schedule::stop::StopHandle;
use crate::trial::grade::Graders;
use crate::trial::judges::prepare;

/// A run, planned: everything was checked, nothing was asked.
pub struct RunSpec {
    /// Where the cases come from.
    pub source: Arc<dyn CaseSource>,
    /// Which of them are run.
    pub selection: Selection,
    /// The targets.
    pub targets: Vec<Target>,
    /// Targets that judge and answer no case. Their places follow those of the targets.
    pub judges: Vec<Target>,
    /// Which case is asked of which target.
    pub assignment: Assignment,
    /// How often each case is asked of each target.
    pub trials: u32,
    /// What the run has to do, for those who are told.
    pub planned: Planned,
    /// Where evaluators come from.
    pub graders: Arc<dyn Graders>,
    /// Where records go.
    pub journal: Journal,
    /// What was done before.
    pub previous_run: PreviousRun,
    /// Answers of other runs.
    pub cache: Option<Cache>,
    /// The most that the run may cost, in US dollars.
    pub budget: Option<f64>,
    /// The longest that it may take.
    pub max_time: Option<Duration>,
    /// Whether evaluators that take more are not asked once a required one has failed the case.
    pub stop_on_required: bool,
    /// Whether results hold what the target said in full.
    pub include_trace: bool,
    /// Whether mocks stand in for the targets.
    pub dry_run: bool,
    /// The folder that prompts are written to.
    pub dump_prompts: Option<PathBuf>,
    /// How long what is in flight gets once somebody asks for the end.
    pub grace: Duration,
}

/// Which case is asked of which target.
#[derive(Debug, Clone, Default)]
pub struct Assignment {
    /// The targets that every case is asked of; where empty, the one that it names.
    pub chosen: Vec<String>,
    /// What each eval file, by its index, calls its targets: the place of each among the run's
    /// targets, the judges after them.
    pub targets: HashMap<usize, HashMap<String, usize>>,
}

impl Assignment {
    /// Notes what a file calls `name`.
    pub fn assign(&mut self, file: usize, name: String, place: usize) {
        self.targets.entry(file).or_default().insert(name, place);
    }

    /// The place of the target that a file calls `name`.
    pub fn target(&self, file: usize, name: &str) -> Option<usize> {
        self.targets.get(&file)?.get(name).copied()
    }

    /// What a file calls its targets and judges, sorted.
    pub(crate) fn names(&self, file: usize) -> Vec<&str> {
        let of_file = self.targets.get(&file).into_iter().flatten();
        let mut names: Vec<&str> = of_file.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// Whether a case is asked of the target at this place.
    pub(crate) fn assigns(&self, file: &EvalFile, case: &EvalCase, target: usize) -> bool {
        let is_target = |name: &String| self.target(file.index, name) == Some(target);
        match self.chosen.as_slice() {
            [] => is_target(&case.execution.target),
            chosen => chosen.iter().any(is_target),
        }
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended {
    /// Why it was stopped, where it was.
    pub stop: Option<Stop>,
    /// What kept it from going on.
    pub error: Option<RunError>,
    /// Where the results begin that count, in file order; nothing of a new run, where all do.
    pub counted: Option<Vec<u64>>,
}

/// How long work that was given up gets to end.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How long it gets where somebody has asked twice.
const MOMENT: Duration = Duration::from_millis(300);

/// Runs all trials and returns when the last has ended, or the run was stopped. Everything that
/// ended is in the journal.
pub async fn run(spec: RunSpec, stop: StopHandle, reporter: SharedReporter) -> Ended {
    let (planned, grace) = (spec.planned, spec.grace);
    let (state, producers) = set_up(spec, stop, reporter);
    let work = work(Arc::clone(&state), producers);
    carry_out(state, planned, grace, work).await
}

/// Does the work of a run, with everything that watches over it, and says how it ended.
pub(crate) async fn carry_out(
    state: Arc<RunState>,
    planned: Planned,
    grace: Duration,
    work: impl Future<Output = ()>,
) -> Ended {
    let (stop, deadline) = (state.stop.clone(), state.deadline);
    state.tell(&RunEvent::Planned(planned));
    let over = CancellationToken::new();
    let guards = [
        tokio::spawn(sync_regularly(Arc::clone(&state), over.clone())),
        tokio::spawn(unless(
            over.clone(),
            give_up_after(Arc::clone(&state), grace),
        )),
        tokio::spawn(unless(over.clone(), end_in_time(stop.clone(), deadline))),
    ];
    tokio::select! {
        () = work => {}
        // What does not end by itself ends with the process.
        () = given_up(&stop) => {}
    }
    over.cancel();
    // They hold the journal, and with it the folder's lock.
    join_all(guards).await;
    if let Err(error) = state.journal.sync() {
        state.fail(RunError::Write(error));
    }
    let mut error = state.error.lock().unwrap_or_else(PoisonError::into_inner);
    Ended {
        stop: stop.reason(),
        error: error.take(),
        counted: state.journal.take_counted(),
    }
}

/// What all parts share, and a producer for each lane.
fn set_up(
    spec: RunSpec,
    stop: StopHandle,
    reporter: SharedReporter,
) -> (Arc<RunState>, Vec<Producer>) {
    let asked = spec.targets.len();
    let targets = spec.targets.into_iter().chain(spec.judges);
    let lanes: Vec<Arc<Lane>> = targets
        .enumerate()
        .map(|(index, target)| Arc::new(Lane::new(index, target)))
        .collect();
    let spent = match spec.budget {
        Some(_) => spec.previous_run.spent(),
        None => Ok(HashMap::new()),
    };
    let (spent, unread) = match spent {
        Ok(spent) => (spent, None),
        Err(error) => (HashMap::new(), Some(error)),
    };
    let (selection, assignment) = (Arc::new(spec.selection), Arc::new(spec.assignment));
    let state = Arc::new(RunState {
        journal: match spec.previous_run.is_empty() {
            true => spec.journal,
            false => spec.journal.counting(),
        },
        graders: spec.graders,
        cache: spec.cache,
        budget: Budget::new(spec.budget, &spent, lanes.iter().map(|lane| &*lane.name)),
        lanes: lanes.clone(),
        assignment: Arc::clone(&assignment),
        stop,
        deadline: spec.max_time.map(|limit| Instant::now() + limit),
        stop_on_required: spec.stop_on_required,
        include_trace: spec.include_trace,
        dry_run: spec.dry_run,
        dump_prompts: spec.dump_prompts,
        reporter,
        error: Mutex::new(None),
    });
    if let Some(error) = unread {
        state.fail(RunError::Read(error));
    }
    let previous_run = Arc::new(spec.previous_run);
    let producers = lanes.into_iter().take(asked).map(|lane| Producer {
        run: Arc::clone(&state),
        source: Arc::clone(&spec.source),
        selection: Arc::clone(&selection),
        assignment: Arc::clone(&assignment),
        previous_run: Arc::clone(&previous_run),
        lane,
        trials: spec.trials,
        done: OnceLock::new(),
    });
    let producers = producers.collect();
    (state, producers)
}

/// What was done before is told, targets that are needed are made ready, then all lanes work.
async fn work(state: Arc<RunState>, producers: Vec<Producer>) {
    let producers: Vec<Arc<Producer>> = producers.into_iter().map(Arc::new).collect();
    let recalled = producers.iter().map(|producer| {
        let producer = Arc::clone(producer);
        tokio::task::spawn_blocking(move || producer.recall())
    });
    let asked = join_all(recalled).await.into_iter().zip(&producers);
    let asked = asked.filter(|(asks, _)| *asks.as_ref().unwrap_or(&true));
    join_all(asked.map(|(_, producer)| prepare(&state, &producer.lane))).await;
    if state.stop.is_stopped() {
        return;
    }
    let mut work = Vec::new();
    for producer in producers {
        let (sender, receiver) = bounded_channel();
        let lane = Arc::clone(&producer.lane);
        work.push(tokio::task::spawn_blocking(move || {
            producer.produce(&sender);
        }));
        work.push(tokio::spawn(dispatch(Arc::clone(&state), lane, receiver)));
    }
    join_all(work).await;
}

/// Waits until work that was given up has had its time.
async fn given_up(stop: &StopHandle) {
    stop.abortion().cancelled().await;
    tokio::select! {
        () = tokio::time::sleep(LAST_WORDS) => {}
        () = stop.at_once() => tokio::time::sleep(MOMENT).await,
    }
}

/// Does something unless the run is over.
async fn unless(over: CancellationToken, work: impl Future<Output = ()>) {
    tokio::select! {
        // What is due is done, however soon the run is over.
        biased;
        () = work => {}
        () = over.cancelled() => {}
    }
}

async fn sync_regularly(state: Arc<RunState>, over: CancellationToken) {
    let mut ticks = tokio::time::interval(agentv_journal::SYNC_INTERVAL);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = over.cancelled() => return,
        }
        let state = Arc::clone(&state);
        let synced = tokio::task::spawn_blocking(move || {
            if let Err(error) = state.journal.sync() {
                state.fail(RunError::Write(error));
            }
        });
        let _ = synced.await;
    }
}

async fn give_up_after(state: Arc<RunState>, grace: Duration) {
    state.stop.stopped().await;
    let Some(reason) = state.stop.reason() else {
        return;
    };
    state.tell(&RunEvent::Stopping(reason));
    state.stop.leaving().await;
    tokio::time::sleep(grace).await;
    state.stop.abort(reason);
}

async fn end_in_time(stop: StopHandle, deadline: Option<Instant>) {
    let Some(deadline) = deadline else { return };
    tokio::time::sleep_until(deadline.into()).await;
    stop.abort(Stop::Time);
}
