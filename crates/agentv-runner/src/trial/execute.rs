//! The executor: it turns a trial into its outcome, and writes nothing.

use std::sync::Arc;
use std::time::Instant;

use agentv_core::{
    Cause, Outcome, Prompt, ProviderError, ResultRecord, RunEvent, Secrets, Stage, Step, Subject,
    Target, Timing, TraceSummary, Transcript, TranscriptRecord, Trial, Work,
};

use crate::assignment::Assignment;
use crate::failure::{Failure, RunError};
use crate::schedule::budget::{Budget, SetAside};
use crate::schedule::lane::Lane;
use crate::schedule::stop::StopHandle;
use crate::trial::attempt::AskResult;
use crate::trial::grade::{Grade, Graders, grade};
use crate::trial::judges::prepare;
use crate::trial::panic::catch_panic;
use crate::trial::records::{errored_record, result_record, transcript_record};
use crate::trial::request::{prompt_of, request_of};
use crate::trial::steps::ask_in_steps;

/// Receives the events of trials in flight: retries and notices.
pub type Notify = Arc<dyn Fn(RunEvent) + Send + Sync>;

/// Everything that an executor needs besides a trial.
pub struct ExecutorSpec {
    /// The targets that answer.
    pub targets: Vec<Target>,
    /// The targets that only judge. Their positions follow those of `targets`.
    pub judges: Vec<Target>,
    /// The targets and judges of each eval file.
    pub assignment: Arc<Assignment>,
    /// The source of evaluators.
    pub graders: Arc<dyn Graders>,
    /// Ends trials early.
    pub stop: StopHandle,
    /// True if evaluators with more effort are skipped after a required one has failed the case.
    pub stop_on_required: bool,
    /// True if results hold the messages of the target.
    pub include_trace: bool,
    /// The values that no event may show.
    pub secrets: Secrets,
    /// Receives the events of trials in flight.
    pub notify: Notify,
}

/// Turns trials into outcomes. It writes nothing: the caller does.
pub struct Executor {
    pub(crate) lanes: Vec<Arc<Lane>>,
    /// The number of lanes that answer. The others only judge.
    answering: usize,
    pub(crate) assignment: Arc<Assignment>,
    pub(crate) graders: Arc<dyn Graders>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) stop: StopHandle,
    pub(crate) failure: Arc<Failure>,
    pub(crate) stop_on_required: bool,
    pub(crate) include_trace: bool,
    pub(crate) secrets: Secrets,
    notify: Notify,
}

impl Executor {
    /// Makes an executor without a budget.
    pub fn new(spec: ExecutorSpec) -> Executor {
        let failure = Arc::new(Failure::new(spec.stop.clone()));
        Executor::with_failure(spec, failure)
    }

    /// Makes an executor that shares the failure of a run.
    pub(crate) fn with_failure(spec: ExecutorSpec, failure: Arc<Failure>) -> Executor {
        let answering = spec.targets.len();
        let targets = spec.targets.into_iter().chain(spec.judges);
        let lanes: Vec<Arc<Lane>> = targets
            .enumerate()
            .map(|(index, target)| {
                let programs = spec.assignment.programs_of(index);
                Arc::new(Lane::new(index, target, programs))
            })
            .collect();
        Executor {
            answering,
            budget: Arc::new(Budget::unlimited(lanes.len())),
            lanes,
            assignment: spec.assignment,
            graders: spec.graders,
            stop: spec.stop,
            failure,
            stop_on_required: spec.stop_on_required,
            include_trace: spec.include_trace,
            secrets: spec.secrets,
            notify: spec.notify,
        }
    }

    /// Executes a trial to its end. The outcome lacks a result if the executor is stopped first, or if the
    /// target is not ready: [`take_failure`](Executor::take_failure) then says why.
    pub async fn execute(&self, trial: &Trial) -> Outcome {
        let mut execution = self.begin(trial, self.lane_of(trial), Instant::now());
        let mut outcome = Outcome::default();
        while let Some(step) = execution.next().await {
            outcome.extend([step]);
        }
        outcome
    }

    /// Takes out the error that ended the work of this executor, such as a target that is not ready.
    pub fn take_failure(&self) -> Option<RunError> {
        self.failure.take()
    }

    /// Begins a trial that was taken up at `taken_up`. `lane` is that of its target, if it is asked.
    pub(crate) fn begin<'e>(
        &'e self,
        trial: &'e Trial,
        lane: Option<&'e Lane>,
        taken_up: Instant,
    ) -> Execution<'e> {
        Execution {
            executor: self,
            prompt: prompt_of(trial),
            next: match &trial.work {
                Work::Ask => Next::Ask(taken_up),
                Work::Grade { answer, recorded } if *recorded => Next::Grade(self.redacted(answer)),
                Work::Grade { answer, .. } => Next::Record(self.redacted(answer)),
            },
            trial,
            lane,
        }
    }

    /// Returns an answer that exists without today's secrets: the answer that is graded is the one that
    /// is stored.
    fn redacted(&self, answer: &Arc<TranscriptRecord>) -> Arc<TranscriptRecord> {
        match answer.redacted_by(&self.secrets) {
            Some(redacted) => Arc::new(redacted),
            None => Arc::clone(answer),
        }
    }

    /// Returns the first step of a trial that was asked; `None` if the run was stopped before an answer
    /// came.
    pub(crate) fn first_step(
        &self,
        trial: &Trial,
        answer: Result<Transcript, ProviderError>,
        timing: Timing,
        attempts: u32,
    ) -> Option<Step> {
        match answer {
            Ok(transcript) => {
                let record = transcript_record(trial, transcript, timing, attempts);
                let redacted = record.redacted_by(&self.secrets);
                Some(Step::Answered(Arc::new(redacted.unwrap_or(record))))
            }
            Err(error) if error.cause == Cause::Cancelled => None,
            Err(error) => {
                let record = errored_record(trial, error.message, timing, attempts);
                Some(Step::Ended(Box::new(record)))
            }
        }
    }

    /// Returns the lanes that answer.
    pub(crate) fn answering_lanes(&self) -> &[Arc<Lane>] {
        &self.lanes[..self.answering]
    }

    /// Passes an event on.
    pub(crate) fn notify(&self, event: RunEvent) {
        (self.notify)(event);
    }

    /// Settles what a call cost. Reports once per target that its cost is unknown.
    pub(crate) fn settle(
        &self,
        lane: &Lane,
        set_aside: SetAside,
        answered: bool,
        cost: Option<f64>,
    ) {
        if set_aside.settle(answered, cost) {
            let message = format!(
                "the cost of answers from target `{}` is unknown, so `--budget` does not limit it",
                lane.name
            );
            self.notify(RunEvent::Noticed { message });
        }
    }

    /// Returns the lane that a trial of this executor asks.
    fn lane_of(&self, trial: &Trial) -> Option<&Lane> {
        let mut positions = self.assignment.positions(trial.file.index);
        let position = positions.find(|position| {
            let lane = self.answering_lanes().get(*position);
            lane.is_some_and(|lane| lane.name == trial.target)
        })?;
        self.lanes.get(position).map(|lane| &**lane)
    }
}

/// A trial in execution. Each step is a value that the caller may write down before the next begins.
pub(crate) struct Execution<'e> {
    executor: &'e Executor,
    trial: &'e Trial,
    lane: Option<&'e Lane>,
    prompt: Prompt,
    next: Next,
}

/// The next step of a trial.
enum Next {
    /// Ask the target. The trial was taken up at this time.
    Ask(Instant),
    /// Hand over an answer that the journal does not hold.
    Record(Arc<TranscriptRecord>),
    /// Grade an answer that was handed over.
    Grade(Arc<TranscriptRecord>),
    /// Nothing is left.
    Nothing,
}

impl Execution<'_> {
    /// Executes the next step; `None` after the last one, or if the run was stopped first.
    pub(crate) async fn next(&mut self) -> Option<Step> {
        match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Ask(taken_up) => self.ask(taken_up).await,
            Next::Record(answer) => {
                self.next = Next::Grade(Arc::clone(&answer));
                Some(Step::Answered(answer))
            }
            Next::Grade(answer) => {
                let graded = self.grade(&answer).await?;
                Some(Step::Ended(Box::new(graded)))
            }
            Next::Nothing => None,
        }
    }

    /// Asks the target. A provider that panics makes the trial errored.
    async fn ask(&mut self, taken_up: Instant) -> Option<Step> {
        let trial = self.trial;
        let errored = |message, timing, attempts| {
            let record = errored_record(trial, message, timing, attempts);
            Some(Step::Ended(Box::new(record)))
        };
        let Some(lane) = self.lane else {
            let message = format!("`{}` is not a target of this run", trial.target);
            return errored(message, Timing::default(), 0);
        };
        prepare(self.executor, lane).await?;
        let timeout = lane.target.limits.timeout;
        let mut request = request_of(trial, self.prompt.clone(), timeout);
        let asking = ask_in_steps(self.executor, lane, &mut request, trial, taken_up);
        let AskResult {
            answer,
            timing,
            attempts,
        } = match catch_panic(asking).await {
            Ok(asked) => asked?,
            Err(panicked) => return errored(panicked.to_string(), Timing::default(), 1),
        };
        let step = self.executor.first_step(trial, answer, timing, attempts);
        if let Some(Step::Answered(answer)) = &step {
            self.next = Next::Grade(Arc::clone(answer));
        }
        step
    }

    /// Grades an answer; `None` if the run was stopped first.
    async fn grade(&self, answer: &TranscriptRecord) -> Option<ResultRecord> {
        let transcript = &answer.transcript;
        let text = transcript.answer();
        let trace = TraceSummary::of(transcript, answer.timing.total_ms);
        let subject = Subject {
            case: &self.trial.case,
            prompt: &self.prompt,
            transcript,
            answer: &text,
            trace: &trace,
            workspace: None,
            workspace_is_gone: self.trial.case.workspace.is_some(),
            judging: None,
            spares: false,
        };
        let grading = grade(self.executor, self.trial, &subject);
        let graded = tokio::select! {
            biased;
            graded = catch_panic(grading) => graded,
            // The answer is kept, and graded when the run is resumed.
            () = self.executor.stop.abortion().cancelled() => return None,
        };
        let grade = match graded {
            Ok(grade) => grade?,
            Err(panicked) => Grade::errored(Stage::Evaluator, panicked.to_string()),
        };
        let include_trace = self.executor.include_trace;
        Some(ResultRecord {
            candidate_answer: Some(text),
            trace_summary: Some(trace),
            output_messages: include_trace.then(|| transcript.output_messages.clone()),
            timing: answer.timing,
            attempts: answer.attempts,
            cached: answer.cached,
            redacted: answer.redacted,
            truncated: transcript.is_truncated(),
            ..result_record(self.trial, grade)
        })
    }
}
