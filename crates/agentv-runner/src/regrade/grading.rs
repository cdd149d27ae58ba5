//! Answers that are there already, graded: no target is asked for any of them.

use std::collections::HashMap;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use agentv_core::{
    BoxFuture, Cause, Extra, Limits, Planned, Provider, ProviderError, Request, RunEvent, Target,
    Transcript, TranscriptRecord,
};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::eval_file::EvalFile;
use crate::journal::Journal;
use crate::regrade::answers::{AnswerSource, Given};
use crate::resume::previous_run::PreviousRun;
use crate::resume::reuse::reuse;
use crate::run::{Assignment, Ended, carry_out};
use crate::run_state::{RunError, RunState, SharedReporter};
use crate::schedule::budget::Budget;
use crate::schedule::channel::{ChannelSender, bounded_channel};
use crate::schedule::lane::Lane;
use crate::schedule::produce::graded_by;
use crate::schedule::stop::StopHandle;
use crate::trial::grade::Graders;
use crate::trial::job::{Job, Work, prompt_of};
use crate::trial::keys::grade_key;
use crate::trial::outcome::{Answered, finish, graded};

/// A grading, planned: everything was checked, nobody was asked.
pub struct GradeSpec {
    /// The answers, and the cases that they are graded by.
    pub answers: Arc<dyn AnswerSource>,
    /// The targets that gave the answers, by their eval file's index and their name. None of them is
    /// asked, unless it is among the judges.
    pub graded: HashMap<(usize, String), GradedTarget>,
    /// The targets that judge.
    pub judges: Vec<Target>,
    /// The judge of each eval file's index and name, by its place among the judges.
    pub assignment: Assignment,
    /// What there is to do, for those who are told.
    pub planned: Planned,
    /// Where evaluators come from.
    pub graders: Arc<dyn Graders>,
    /// Where records go: answers too, so that the new run stands alone.
    pub journal: Journal,
    /// What was graded before.
    pub previous_run: PreviousRun,
    /// The most that judges may cost, in US dollars.
    pub budget: Option<f64>,
    /// The longest that it may take.
    pub max_time: Option<Duration>,
    /// Whether evaluators that take more are not asked once a required one has failed the case.
    pub stop_on_required: bool,
    /// Whether results hold what the target said in full.
    pub include_trace: bool,
    /// How long what is in flight gets once somebody asks for the end.
    pub grace: Duration,
}

/// What matters of a target that gave an answer, and is not asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GradedTarget {
    /// The target that judges its answers where an evaluator names none, itself unless given.
    pub judge: Option<String>,
    /// Whether it was told where the files of a case are, rather than what is in them.
    pub reads_files: bool,
}

/// Grades all answers and returns when the last has its grade, or the grading was stopped. Every answer
/// is in the journal before it is graded, and every grade before it is told.
pub async fn grade(spec: GradeSpec, stop: StopHandle, reporter: SharedReporter) -> Ended {
    let (planned, grace) = (spec.planned, spec.grace);
    let judges: Vec<Arc<Lane>> = spec
        .judges
        .into_iter()
        .enumerate()
        .map(|(index, target)| Arc::new(Lane::new(index, target)))
        .collect();
    let (spent, unread) = match spec.budget.map(|_| spec.previous_run.spent_on_judges()) {
        Some(Ok(spent)) => (spent, None),
        Some(Err(error)) => (HashMap::new(), Some(error)),
        None => (HashMap::new(), None),
    };
    let workers = judges.iter().map(|lane| lane.target.limits.workers);
    let at_once = workers.fold(LEAST_AT_ONCE, usize::saturating_add);
    let state = Arc::new(RunState {
        journal: spec.journal,
        graders: spec.graders,
        cache: None,
        budget: Budget::new(spec.budget, &spent, judges.iter().map(|lane| &*lane.name)),
        lanes: judges,
        assignment: Arc::new(spec.assignment),
        stop,
        deadline: spec.max_time.map(|limit| Instant::now() + limit),
        stop_on_required: spec.stop_on_required,
        include_trace: spec.include_trace,
        dry_run: false,
        dump_prompts: None,
        reporter,
        error: Mutex::new(None),
    });
    if let Some(error) = unread {
        state.fail(RunError::Read(error));
    }
    let answers = Arc::new(Answers {
        run: Arc::clone(&state),
        source: spec.answers,
        previous_run: spec.previous_run,
        graded: spec.graded,
        lanes: Mutex::default(),
    });
    let work = work(Arc::clone(&state), answers, at_once);
    carry_out(state, planned, grace, work).await
}

/// The answers that are graded side by side beyond those that the judges have room for.
const LEAST_AT_ONCE: usize = 8;

/// What was graded before is told, then the rest is graded.
async fn work(state: Arc<RunState>, answers: Arc<Answers>, at_once: usize) {
    let recalling = Arc::clone(&answers);
    // What panics there ends the grading with what was written.
    let _ = tokio::task::spawn_blocking(move || recalling.recall()).await;
    if state.stop.is_stopped() {
        return;
    }
    let (sender, receiver) = bounded_channel();
    let producing = tokio::task::spawn_blocking(move || answers.produce(&sender));
    take_up(state, receiver, at_once).await;
    let _ = producing.await;
}

/// What the trials of a grading are made from.
struct Answers {
    run: Arc<RunState>,
    source: Arc<dyn AnswerSource>,
    previous_run: PreviousRun,
    graded: HashMap<(usize, String), GradedTarget>,
    lanes: Mutex<GradedLanes>,
}

/// What stands for the targets that gave answers, by eval file and name.
type GradedLanes = HashMap<(usize, Arc<str>), Arc<Lane>>;

type Each<'e> =
    dyn FnMut(&Arc<EvalFile>, Given, &mut Vec<u8>) -> Result<ControlFlow<()>, RunError> + 'e;

impl Answers {
    /// Tells every trial that was graded before.
    fn recall(&self) {
        if self.previous_run.is_empty() {
            return;
        }
        self.each(&mut |file, given, buffer| {
            let record = match given {
                Given::Answer(record) => record,
                Given::Error(record) => {
                    if self.previous_run.has_record(&record.grade_key)? {
                        let (record, reused) = (&*record, true);
                        self.run.tell(&RunEvent::Finished { record, reused });
                    }
                    return Ok(ControlFlow::Continue(()));
                }
            };
            let lane = self.lane(file, &record.target);
            let key = self.grade_key(file, &lane, &record, buffer);
            if let Some(found) = self.previous_run.result(&key)? {
                let (run, answer) = (&self.run, &record.answer_key);
                reuse(run, &self.previous_run, found, &record.case, answer)?;
            }
            Ok(ControlFlow::Continue(()))
        });
    }

    /// Sends what is not graded yet, in order, and carries over what cannot be. Waits while nobody takes
    /// it.
    fn produce(&self, jobs: &Sender<(Job, bool)>) {
        let mut jobs = ChannelSender::new(jobs);
        self.each(&mut |file, given, buffer| {
            let record = match given {
                Given::Answer(record) => record,
                Given::Error(record) => {
                    if !self.previous_run.has_record(&record.grade_key)? {
                        finish(&self.run, Some(*record));
                    }
                    return Ok(ControlFlow::Continue(()));
                }
            };
            let lane = self.lane(file, &record.target);
            let grade_key = self.grade_key(file, &lane, &record, buffer);
            if self.previous_run.has_result(&grade_key)? {
                return Ok(ControlFlow::Continue(()));
            }
            let before = self.previous_run.transcript(&record.answer_key)?;
            let is_written = before.is_some_and(|before| before.case == record.case);
            let job = Job {
                file: Arc::clone(file),
                case: Arc::clone(&record.case),
                lane,
                trial: record.trial,
                answer_key: record.answer_key.clone(),
                grade_key,
                dry_run: record.dry_run,
                work: Work::Grade(record),
            };
            Ok(jobs.send((job, is_written)))
        });
    }

    /// Goes through all answers, in order, until the grading is stopped. An error ends it.
    fn each(&self, each: &mut Each<'_>) {
        let mut buffer = Vec::new();
        let mut failed = None;
        let visited = self.source.visit(&mut |file, given| {
            if self.run.stop.is_stopped() {
                return ControlFlow::Break(());
            }
            each(file, given, &mut buffer).unwrap_or_else(|error| {
                failed = Some(error);
                ControlFlow::Break(())
            })
        });
        let unread = visited.err().map(RunError::Source);
        if let Some(error) = unread.or(failed) {
            self.run.fail(error);
        }
    }

    fn grade_key(
        &self,
        file: &EvalFile,
        lane: &Lane,
        record: &TranscriptRecord,
        buffer: &mut Vec<u8>,
    ) -> String {
        let by = graded_by(&self.run, lane, file, &record.case);
        grade_key(&record.answer_key, &record.case, &by, buffer)
    }

    /// What stands for a target that gave answers.
    fn lane(&self, file: &EvalFile, target: &Arc<str>) -> Arc<Lane> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (file.index, Arc::clone(target));
        let lane = lanes.entry(key).or_insert_with(|| {
            let known = self.graded.get(&(file.index, target.to_string()));
            Arc::new(Lane::new(0, not_asked(target, known)))
        });
        Arc::clone(lane)
    }
}

fn not_asked(name: &str, known: Option<&GradedTarget>) -> Target {
    Target {
        name: name.to_owned(),
        kind: String::new(),
        settings: Extra::new(),
        judge_target: known.and_then(|known| known.judge.clone()),
        limits: Limits::API,
        provider: Arc::new(NotAsked {
            reads_files: known.is_some_and(|known| known.reads_files),
        }),
    }
}

/// In the place of what talked to a target whose answers are there.
struct NotAsked {
    reads_files: bool,
}

impl Provider for NotAsked {
    fn answer<'a>(
        &'a self,
        _: &'a Request,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        let message = "no target is asked when answers are graded again";
        Box::pin(async move { Err(ProviderError::new(Cause::Setup, message)) })
    }

    fn reads_files(&self) -> bool {
        self.reads_files
    }
}

/// Takes up what is sent, so many at a time, until there is nothing or the grading is stopped; returns
/// when all that was taken up has ended.
async fn take_up(run: Arc<RunState>, mut jobs: Receiver<(Job, bool)>, at_once: usize) {
    let slots = Arc::new(Semaphore::new(at_once.min(Semaphore::MAX_PERMITS)));
    let in_flight = TaskTracker::new();
    loop {
        let next = tokio::select! {
            biased;
            () = run.stop.stopped() => break,
            next = jobs.recv() => next,
        };
        let Some((job, is_written)) = next else { break };
        let slot = tokio::select! {
            biased;
            slot = Arc::clone(&slots).acquire_owned() => slot,
            () = run.stop.stopped() => break,
        };
        let trial = grade_given(Arc::clone(&run), job, is_written);
        let mut trial = Box::pin(async move {
            trial.await;
            drop(slot);
        });
        // What ends at once needs no task of its own.
        let first = poll_fn(|context| Poll::Ready(trial.as_mut().poll(context))).await;
        if first.is_pending() {
            in_flight.spawn(trial);
        }
    }
    // Whoever produces trials is not kept waiting for somebody to take them.
    drop(jobs);
    in_flight.close();
    in_flight.wait().await;
}

/// Writes an answer, unless it is written, then grades it.
async fn grade_given(run: Arc<RunState>, mut job: Job, is_written: bool) {
    let work = std::mem::replace(&mut job.work, Work::Ask);
    let Work::Grade(record) = work else { return };
    run.tell(&RunEvent::Started {
        eval_id: &job.case.id,
        target: &job.lane.name,
        trial: job.trial,
    });
    if !is_written && let Err(error) = run.journal.write_transcript(&record) {
        run.fail(RunError::Write(error));
        run.tell(&RunEvent::Abandoned);
        return;
    }
    let prompt = prompt_of(&job);
    let answered = Answered {
        timing: record.timing,
        attempts: record.attempts,
        cached: record.cached,
        transcript: record.transcript,
    };
    let result = graded(&run, &job, &prompt, answered).await;
    finish(&run, result);
}
