//! The executor: it turns a trial into its outcome, and writes nothing.

use std::sync::Arc;
use std::time::Instant;

use agentv_core::{
    Activity, ActivityChannel, BoxFuture, Cause, ExchangeLog, Message, Outcome, Outdated, Prompt,
    ProviderError, RawExchange, Request, ResultRecord, RunEvent, Secrets, Stage, Step, Stop,
    Subject, Target, Timing, TraceSummary, Transcript, TranscriptRecord, Trial, Work,
    WorkspaceFolders,
};

use futures_util::future::join_all;

use crate::assignment::Assignment;
use crate::failure::{Failure, RunError};
use crate::remote::CallGate;
use crate::schedule::budget::{Budget, SetAside};
use crate::schedule::lane::Lane;
use crate::schedule::stop::StopHandle;
use crate::trial::attempt::AskResult;
use crate::trial::grade::{Grade, Graders, grade};
use crate::trial::graded_turns::GradedTurns;
use crate::trial::judges::prepare;
use crate::trial::panic::catch_panic;
use crate::trial::records::{errored_record, result_record, transcript_record};
use crate::trial::request::{prompt_of, request_of};
use crate::trial::turns::{ask_in_turns, prompt_in_turn};
use crate::workspace::{NoWorkspace, RunWorkspaces, TrialWorkspace, Unmade, needs_workspace};

/// Receives the events of trials in flight: retries and notices.
pub type Notify = Arc<dyn Fn(RunEvent) + Send + Sync>;

/// Takes a step of a trial. The next step begins when the future ends, and none does if it returns false.
pub type TakeStep<'s> = dyn FnMut(Step) -> BoxFuture<'s, bool> + Send + 's;

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
    /// True if records hold requests and responses as they were sent.
    pub include_raw: bool,
    /// The values that no event may show.
    pub secrets: Secrets,
    /// The place for workspaces, if any trial may need one.
    pub workspaces: Option<Arc<RunWorkspaces>>,
    /// Receives the events of trials in flight.
    pub notify: Notify,
    /// Admits calls to targets whose limits other processes share.
    pub gate: Option<Arc<dyn CallGate>>,
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
    pub(crate) include_raw: bool,
    pub(crate) secrets: Secrets,
    pub(crate) workspaces: Option<Arc<RunWorkspaces>>,
    notify: Notify,
    pub(crate) gate: Option<Arc<dyn CallGate>>,
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
            include_raw: spec.include_raw,
            secrets: spec.secrets,
            workspaces: spec.workspaces,
            notify: spec.notify,
            gate: spec.gate,
        }
    }

    /// Executes a trial to its end. The outcome lacks a result if the executor is stopped first, or if the
    /// target is not ready: [`take_failure`](Executor::take_failure) then says why.
    pub async fn execute(&self, trial: &Trial) -> Outcome {
        let mut outcome = Outcome::default();
        let mut add = |step| -> BoxFuture<'_, bool> {
            outcome.extend([step]);
            Box::pin(std::future::ready(true))
        };
        self.execute_steps(trial, &mut add).await;
        outcome
    }

    /// Executes a trial step by step: the next one begins when `each` is done with the last, and none does
    /// once it returns false. Returns false if the trial has not ended.
    pub fn execute_steps<'e, 's: 'e>(
        &'e self,
        trial: &'e Trial,
        each: &'e mut TakeStep<'s>,
    ) -> BoxFuture<'e, bool> {
        // Boxed: a caller in another crate would compile the whole future again.
        Box::pin(async move {
            let mut execution = self.begin(trial, self.lane_of(trial), Instant::now(), None);
            while let Some(step) = execution.next().await {
                let is_end = matches!(step, Step::Ended(_));
                if !each(step).await || is_end {
                    return is_end;
                }
            }
            false
        })
    }

    /// Takes out the error that ended the work of this executor, such as a target that is not ready.
    pub fn take_failure(&self) -> Option<RunError> {
        self.failure.take()
    }

    /// Begins a trial that was taken up at `taken_up`. `lane` is that of its target, if it is asked, and
    /// `set_aside` pays for it.
    pub(crate) fn begin<'e>(
        &'e self,
        trial: &'e Trial,
        lane: Option<&'e Lane>,
        taken_up: Instant,
        set_aside: Option<SetAside>,
    ) -> Execution<'e> {
        Execution {
            executor: self,
            set_aside,
            prompt: prompt_of(trial),
            next: match &trial.work {
                Work::Ask | Work::Continue { .. } => Next::Ask(taken_up),
                Work::Grade { answer, recorded } if *recorded => Next::Grade(self.redacted(answer)),
                Work::Grade { answer, .. } => Next::Record(self.redacted(answer)),
            },
            trial,
            lane,
            workspace: None,
            graded_turns: GradedTurns::default(),
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

    /// Returns a trial whose case holds no secrets, as the journal stores it; `None` if the case holds none.
    /// Expected values then match an answer without secrets, as they match it when the stored case is graded.
    /// Evaluators that run a program or ask a judge keep their options, which may need a key.
    pub(crate) fn trial_without_secrets(&self, trial: &Trial) -> Option<Trial> {
        let mut case = self.secrets.redact_record(&*trial.case)?;
        let specs = trial.case.evaluators.iter().zip(case.evaluators.iter());
        let specs = specs.map(|(own, redacted)| self.graders.without_secrets(own, redacted));
        case.evaluators = specs.collect();
        Some(Trial {
            case: Arc::new(case),
            ..trial.clone()
        })
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
            Ok(_) if !trial.case.turns.is_empty() => {
                let message = "a target that answers in batches cannot hold a conversation: \
                               remove `provider_batching`, or the `turns` of the case";
                let record =
                    errored_record(trial, Stage::Target, message.to_owned(), timing, attempts);
                Some(Step::Ended(Box::new(record)))
            }
            Ok(transcript) => Some(self.answered(trial, transcript, timing, attempts)),
            Err(error) if error.cause == Cause::Cancelled => None,
            Err(error) => {
                let message = error.message;
                let record = errored_record(trial, Stage::Target, message, timing, attempts);
                Some(Step::Ended(Box::new(record)))
            }
        }
    }

    /// Returns the step that hands over an answer, without secrets.
    fn answered(
        &self,
        trial: &Trial,
        transcript: Transcript,
        timing: Timing,
        attempts: u32,
    ) -> Step {
        let record = transcript_record(trial, transcript, timing, attempts);
        Step::Answered(Arc::new(self.without_secrets(record)))
    }

    pub(crate) fn without_secrets(&self, record: TranscriptRecord) -> TranscriptRecord {
        record.redacted_by(&self.secrets).unwrap_or(record)
    }

    /// Returns the channel that passes reports of a trial's target on, without secrets.
    fn activity_of(&self, trial: &Trial) -> ActivityChannel {
        let (notify, secrets) = (Arc::clone(&self.notify), self.secrets.clone());
        let trial = trial.name();
        ActivityChannel::new(move |activity| {
            notify(RunEvent::Active {
                trial: trial.clone(),
                activity: Activity {
                    detail: secrets.redact(&activity.detail).into_owned(),
                    ..activity
                },
            });
        })
    }

    /// Ends what the preparation of the targets began, such as the servers of their tools.
    pub async fn end_targets(&self) {
        let providers = self.lanes.iter().map(|lane| &lane.target.provider);
        join_all(providers.map(|provider| provider.end())).await;
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

/// Returns whether any answer came, and the cost of all together, if any is known. What an errored trial
/// left has a cost, too.
pub(crate) fn cost_of(steps: &[Option<Step>]) -> (bool, Option<f64>) {
    let records = steps.iter().flatten().filter_map(|step| match step {
        Step::Answered(record) => Some(record),
        Step::Ended(_) => None,
    });
    let answered = records.clone().any(|record| record.error.is_none());
    let costs = records.filter_map(|record| record.transcript.cost_usd);
    (answered, costs.reduce(|sum, cost| sum + cost))
}

/// A trial in execution. Each step is a value that the caller may write down before the next begins.
pub(crate) struct Execution<'e> {
    executor: &'e Executor,
    trial: &'e Trial,
    lane: Option<&'e Lane>,
    /// The part of the budget that pays for asking.
    set_aside: Option<SetAside>,
    prompt: Prompt,
    next: Next,
    workspace: Option<TrialWorkspace>,
    /// The turns that were graded before the conversation ended.
    graded_turns: GradedTurns,
}

/// The next step of a trial.
enum Next {
    /// Ask the target. The trial was taken up at this time.
    Ask(Instant),
    /// Hand over an answer that the journal does not hold.
    Record(Arc<TranscriptRecord>),
    /// Grade an answer that was handed over.
    Grade(Arc<TranscriptRecord>),
    /// End the trial without a grade.
    End(Box<ResultRecord>),
    /// Nothing is left.
    Nothing,
}

impl Execution<'_> {
    /// Executes the next step; `None` after the last one, or if the run was stopped first.
    pub(crate) async fn next(&mut self) -> Option<Step> {
        let step = match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Ask(taken_up) => self.ask(taken_up).await,
            Next::Record(answer) => {
                self.next = Next::Grade(Arc::clone(&answer));
                Some(Step::Answered(answer))
            }
            Next::Grade(answer) => {
                let graded = self.grade(&answer).await;
                graded.map(|record| Step::Ended(Box::new(record)))
            }
            Next::End(record) => Some(Step::Ended(record)),
            Next::Nothing => None,
        };
        match step {
            Some(Step::Ended(record)) => Some(Step::Ended(self.finish_workspace(record).await)),
            Some(answered) => Some(answered),
            None => {
                if let Some(workspace) = self.workspace.take() {
                    Box::pin(workspace.abandon(self.executor, self.trial)).await;
                }
                None
            }
        }
    }

    /// Ends the workspace, and records the folder if it is kept.
    async fn finish_workspace(&mut self, record: Box<ResultRecord>) -> Box<ResultRecord> {
        let Some(workspace) = self.workspace.take() else {
            return record;
        };
        // A future of its own, here and below: most trials have no workspace.
        let kept = Box::pin(workspace.finish(self.executor, self.trial, record.status));
        Box::new(ResultRecord {
            workspace: kept.await,
            ..*record
        })
    }

    /// Returns the end of a trial that has no answer.
    fn errored(&self, stage: Stage, message: String, timing: Timing, attempts: u32) -> Step {
        let record = errored_record(self.trial, stage, message, timing, attempts);
        Step::Ended(Box::new(record))
    }

    /// Makes the workspace of the trial, if it has one. Returns the step that ends it if that fails, and
    /// `Err(None)` if the run is stopped.
    async fn make_workspace(&mut self, lane: &Lane) -> Result<(), Option<Step>> {
        let spec = self.trial.case.workspace.as_deref();
        if !needs_workspace(spec, lane.target.provider.as_ref()) {
            return Ok(());
        }
        match Box::pin(TrialWorkspace::make(self.executor, self.trial)).await {
            Ok(workspace) => self.workspace = Some(workspace),
            Err(Unmade::Stopped) => return Err(None),
            Err(Unmade::Failed { message, kept }) => {
                let timing = Timing::default();
                let record = errored_record(self.trial, Stage::Workspace, message, timing, 0);
                return Err(Some(Step::Ended(Box::new(ResultRecord {
                    workspace: kept,
                    ..record
                }))));
            }
        }
        Ok(())
    }

    /// Asks the target, and pays for the answer. A provider that panics makes the trial errored.
    async fn ask(&mut self, taken_up: Instant) -> Option<Step> {
        let trial = self.trial;
        let Some(lane) = self.lane else {
            let message = format!("`{}` is not a target of this run", trial.target);
            return Some(self.errored(Stage::Target, message, Timing::default(), 0));
        };
        prepare(self.executor, lane).await?;
        let waited = taken_up.elapsed();
        if let Err(end) = self.make_workspace(lane).await {
            return end;
        }
        // The time that the workspace took is not spent in our queue.
        let taken_up = Instant::now().checked_sub(waited).unwrap_or(taken_up);
        let mut set_aside = self.set_aside.take();
        let mut request = self.request(lane);
        if let Some(set_aside) = &set_aside {
            request.allowance = set_aside.allowance();
        }
        let workspace = &mut self.workspace;
        let asking = ask_in_turns(
            self.executor,
            lane,
            &mut request,
            trial,
            taken_up,
            (workspace, &mut self.graded_turns),
            set_aside.as_mut(),
        );
        let asked = catch_panic(asking).await;
        let raw = request.exchanges.as_ref().map(ExchangeLog::take);
        self.prompt = request.prompt;
        if set_aside.as_ref().is_some_and(SetAside::was_refused) {
            self.executor.stop.stop(Stop::Budget);
        }
        let step = match asked {
            Ok(asked) => self.take_answer(asked?, raw.unwrap_or_default()).await,
            Err(panicked) => {
                let message = panicked.to_string();
                Some(self.errored(Stage::Target, message, Timing::default(), 1))
            }
        };
        if let Some(set_aside) = set_aside {
            let (answered, cost) = cost_of(std::slice::from_ref(&step));
            self.executor.settle(lane, set_aside, answered, cost);
        }
        step
    }

    fn folders(&self) -> Option<Arc<WorkspaceFolders>> {
        let workspace = self.workspace.as_ref()?;
        Some(Arc::clone(&workspace.folders))
    }

    /// Returns the step after the target was asked. What an errored trial left is handed over first.
    async fn take_answer(&mut self, asked: AskResult, raw: Vec<RawExchange>) -> Option<Step> {
        let AskResult {
            answer,
            timing,
            attempts,
        } = asked;
        let (mut transcript, error) = match answer {
            Ok(transcript) => (transcript, None),
            Err(error) => {
                let is_stopped = error.cause == Cause::Cancelled;
                if is_stopped && error.partial.is_none() {
                    return None;
                }
                let stage = if is_stopped {
                    Stage::Stop
                } else {
                    Stage::Target
                };
                (
                    error.partial.map(|partial| *partial).unwrap_or_default(),
                    Some((stage, error.message)),
                )
            }
        };
        transcript.raw.extend(raw);
        let transcript = match self.with_changes(transcript).await {
            Ok(transcript) => transcript,
            Err(NoWorkspace(message)) => {
                return Some(self.errored(Stage::Workspace, message, timing, attempts));
            }
        };
        let Some((stage, message)) = error else {
            let step = self
                .executor
                .answered(self.trial, transcript, timing, attempts);
            if let Step::Answered(answer) = &step {
                self.next = Next::Grade(Arc::clone(answer));
            }
            return Some(step);
        };
        let ended = errored_record(self.trial, stage, message, timing, attempts);
        if !has_something(&transcript) {
            return Some(Step::Ended(Box::new(ended)));
        }
        Some(self.keep_partial(transcript, ended))
    }

    /// Returns the step that hands over what an errored trial left. The trial then ends with `ended`.
    fn keep_partial(&mut self, transcript: Transcript, ended: ResultRecord) -> Step {
        let (timing, attempts) = (ended.timing, ended.attempts);
        let error = ended.error.as_ref();
        let is_stopped = error.is_some_and(|error| error.stage == Stage::Stop);
        let may_continue = is_stopped && self.workspace.is_none();
        let message = error.map(|error| error.message.clone());
        let record = self.executor.without_secrets(TranscriptRecord {
            error: message,
            ..transcript_record(self.trial, transcript, timing, attempts)
        });
        let record = Arc::new(TranscriptRecord {
            // The next request needs the messages as they were.
            unfinished: may_continue && !record.redacted,
            ..record
        });
        self.next = Next::End(Box::new(ResultRecord {
            trace_summary: Some(TraceSummary::of(&record.transcript, timing.total_ms)),
            output_messages: self.messages_of(&record.transcript),
            redacted: record.redacted,
            ..ended
        }));
        Step::Answered(record)
    }

    /// Adds the changes of the workspace to a transcript.
    async fn with_changes(
        &mut self,
        mut transcript: Transcript,
    ) -> Result<Transcript, NoWorkspace> {
        if let Some(workspace) = self.workspace.take() {
            self.workspace = Some(Box::pin(workspace.add_changes(&mut transcript)).await?);
        }
        Ok(transcript)
    }

    fn messages_of(&self, transcript: &Transcript) -> Option<Vec<Message>> {
        let include_trace = self.executor.include_trace;
        include_trace.then(|| transcript.output_messages.clone())
    }

    /// Returns the first request to the target. It has the prompt until it was answered.
    fn request(&mut self, lane: &Lane) -> Request {
        let prompt = std::mem::take(&mut self.prompt);
        let timeout = lane.target.limits.timeout;
        Request {
            exchanges: self.executor.include_raw.then(ExchangeLog::default),
            workspace: self.folders(),
            activity: self.executor.activity_of(self.trial),
            ..request_of(self.trial, prompt, timeout)
        }
    }

    /// Grades an answer; `None` if the run was stopped first.
    async fn grade(&self, answer: &TranscriptRecord) -> Option<ResultRecord> {
        let transcript = &answer.transcript;
        let text = transcript.answer();
        let trace = TraceSummary::of(transcript, answer.timing.total_ms);
        let folders = self.folders();
        let had_workspace =
            self.trial.case.workspace.is_some() || transcript.file_changes.is_some();
        let redacted = self.executor.trial_without_secrets(self.trial);
        let redacted_prompt = redacted.as_ref().map(prompt_of);
        let trial = redacted.as_ref().unwrap_or(self.trial);
        // A judge sees the conversation, whenever it is asked.
        let turns = trial.case.turns.len();
        let conversation = (turns > 0).then(|| {
            let asked = trial.case.turns_asked(&transcript.output_messages);
            prompt_in_turn(trial, asked, transcript)
        });
        let prompt = conversation.as_ref().or(redacted_prompt.as_ref());
        let subject = Subject {
            case: &trial.case,
            prompt: prompt.unwrap_or(&self.prompt),
            transcript,
            answer: &text,
            trace: &trace,
            folder: &self.trial.file.folder,
            workspace: folders.as_deref(),
            sandbox: self.lane.and_then(|lane| lane.target.provider.sandbox()),
            further_changes: self
                .workspace
                .as_ref()
                .map_or(&[], |workspace| &workspace.further_changes),
            workspace_is_gone: had_workspace && folders.is_none(),
            rivals: &self.trial.rivals,
            judging: None,
            spares: false,
        };
        let grading = grade(self.executor, trial, &subject, &self.graded_turns);
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
        Some(ResultRecord {
            output_messages: self.messages_of(transcript),
            candidate_answer: Some(text),
            trace_summary: Some(trace),
            timing: answer.timing,
            attempts: answer.attempts,
            cached: answer.cached,
            redacted: answer.redacted,
            truncated: transcript.is_truncated(),
            out_of_steps: transcript.is_out_of_steps(),
            outdated: answer.outdated.then_some(Outdated::Answer),
            of_other_run: answer.of_other_run,
            ..result_record(self.trial, grade)
        })
    }
}

/// Returns true if the transcript of an errored trial is worth keeping.
fn has_something(transcript: &Transcript) -> bool {
    let changes = transcript.file_changes.as_deref().unwrap_or_default();
    !transcript.output_messages.is_empty()
        || !transcript.artifacts.is_empty()
        || !changes.is_empty()
        || transcript.cost_usd.is_some()
        || !transcript.raw.is_empty()
}
