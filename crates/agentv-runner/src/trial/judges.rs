//! The judges of a trial, asked through the lanes of the run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use agentv_core::{
    BoxFuture, EvalFile, Judge, JudgeCall, JudgeRequest, Judges, Message, ProviderError, Request,
    Stop, Transcript, Trial,
};

use crate::failure::RunError;
use crate::schedule::lane::Lane;
use crate::trial::attempt::AskResult;
use crate::trial::execute::Executor;
use crate::trial::panic::catch_panic;
use crate::trial::steps::ask_in_steps;

/// The longest answer of a judge that a record holds, in bytes.
const LONGEST_ANSWER: usize = 64 << 10;

/// The judges that one evaluator of one trial asks. Each call obeys the limits, retries and
/// timeouts of the judge's lane, and its cost counts towards the budget.
pub(crate) struct TrialJudges<'r> {
    executor: &'r Executor,
    trial: &'r Trial,
    calls: Mutex<Vec<JudgeCall>>,
    /// True if a call was not made, or was aborted, because the run is being stopped.
    given_up: AtomicBool,
}

impl<'r> TrialJudges<'r> {
    pub(crate) fn new(executor: &'r Executor, trial: &'r Trial) -> TrialJudges<'r> {
        TrialJudges {
            executor,
            trial,
            calls: Mutex::default(),
            given_up: AtomicBool::new(false),
        }
    }

    /// Returns the name that the eval file uses for a judge.
    fn called<'a>(&'a self, judge: &'a Judge) -> &'a str {
        match judge {
            Judge::Usual => &self.trial.judge,
            Judge::Named(name) => name,
        }
    }

    /// Returns true if the run was stopped before the evaluator could finish.
    pub(crate) fn was_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Returns the calls that were made. They include the answers of the judges if the evaluator
    /// errored, or if the user wants to see them.
    pub(crate) fn into_calls(self, errored: bool) -> Vec<JudgeCall> {
        let keeps_answers = errored || self.executor.include_trace;
        let calls = self.calls.into_inner();
        let mut calls = calls.unwrap_or_else(PoisonError::into_inner);
        if !keeps_answers {
            calls.iter_mut().for_each(|call| call.answer = None);
        }
        calls
    }

    async fn call(
        &self,
        judge: &Judge,
        request: JudgeRequest,
    ) -> Result<Transcript, ProviderError> {
        let name = self.called(judge);
        let Some(lane) = self.executor.judge_lane(&self.trial.file, name) else {
            let message = format!("`{name}` is not a target of this run");
            return Err(ProviderError::new(agentv_core::Cause::Setup, message));
        };
        let shown = self
            .executor
            .include_trace
            .then(|| request.prompt.messages.clone());
        let Some(asked) = self.ask_lane(lane, request).await else {
            self.given_up.store(true, Ordering::Relaxed);
            return Err(ProviderError::cancelled());
        };
        self.note(lane, shown, &asked);
        asked.answer
    }

    /// Asks a judge once the budget allows it; `None` if the run was stopped before an answer came.
    async fn ask_lane(&self, lane: &Lane, request: JudgeRequest) -> Option<AskResult> {
        let executor = self.executor;
        prepare(executor, lane).await?;
        let admitted = tokio::select! {
            biased;
            admitted = executor.budget.admit(lane.index, None) => admitted,
            () = executor.stop.leaving() => return None,
        };
        let Some(mut set_aside) = admitted else {
            executor.stop.stop(Stop::Budget);
            return None;
        };
        let mut request = Request {
            eval_file: Arc::clone(&self.trial.file.name),
            eval_id: self.trial.case.id.clone(),
            prompt: request.prompt,
            trial: self.trial.number,
            output_schema: request.output_schema,
            allowance: set_aside.allowance(),
            ..Request::of_text(
                "",
                Arc::clone(&self.trial.file.folder),
                lane.target.limits.timeout,
            )
        };
        let asked = ask_in_steps(
            executor,
            lane,
            &mut request,
            self.trial,
            Instant::now(),
            &mut None,
            Some(&mut set_aside),
        )
        .await;
        let transcript = asked.as_ref().and_then(|asked| asked.answer.as_ref().ok());
        let cost = transcript.and_then(|transcript| transcript.cost_usd);
        executor.settle(lane, set_aside, transcript.is_some(), cost);
        asked
    }

    /// Returns true if a judge gave the answer itself, under another name.
    fn is_own_answer(&self, judge: &Lane) -> bool {
        let (file, assignment) = (self.trial.file.index, &self.executor.assignment);
        let (judge, target) = (&*judge.target.name, &*self.trial.target);
        judge != target && assignment.meant(file, judge) == assignment.meant(file, target)
    }

    fn note(&self, lane: &Lane, request: Option<Vec<Message>>, asked: &AskResult) {
        let answer = asked.answer.as_ref();
        let transcript = answer.ok();
        let call = JudgeCall {
            target: lane.target.name.clone(),
            attempts: asked.attempts,
            token_usage: transcript.and_then(|transcript| transcript.token_usage),
            cost_usd: transcript.and_then(|transcript| transcript.cost_usd),
            lacks_usage: transcript.is_some_and(|transcript| transcript.lacks_usage),
            own_answer: self.is_own_answer(lane),
            duration_ms: asked.timing.total_ms,
            request,
            answer: transcript.map(|transcript| shortened(transcript.answer())),
            error: answer.err().map(|error| error.message.clone()),
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.push(call);
    }
}

impl Judges for TrialJudges<'_> {
    fn known(&self) -> Vec<&str> {
        self.executor.assignment.names(self.trial.file.index)
    }

    fn name<'a>(&'a self, judge: &'a Judge) -> &'a str {
        let name = self.called(judge);
        // A mock may replace the target of this name.
        let lane = self.executor.judge_lane(&self.trial.file, name);
        lane.map_or(name, |lane| &lane.target.name)
    }

    fn ask<'a>(
        &'a self,
        judge: &'a Judge,
        request: JudgeRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderError>> {
        Box::pin(self.call(judge, request))
    }
}

/// Prepares the target of a lane once, before its first request. Returns `None` if it cannot be
/// asked, which ends the run, or if the run was stopped meanwhile.
pub(crate) async fn prepare(executor: &Executor, lane: &Lane) -> Option<()> {
    match lane.prepared.get() {
        Some(()) => Some(()),
        None => Box::pin(prepare_once(executor, lane)).await,
    }
}

async fn prepare_once(executor: &Executor, lane: &Lane) -> Option<()> {
    let preparing = lane.prepared.get_or_try_init(|| async {
        let cancel = executor.stop.abortion().child_token();
        let preparing = async { lane.target.provider.prepare(&cancel).await };
        let prepared = tokio::select! {
            prepared = catch_panic(preparing) => prepared,
            () = executor.stop.leaving() => return Err(()),
        };
        let prepared = prepared.unwrap_or_else(|panicked| Err(panicked.into()));
        prepared.map_err(|error| {
            executor.failure.set(RunError::Prepare {
                target: lane.target.name.clone(),
                error,
            });
        })
    });
    preparing.await.ok().copied()
}

impl Executor {
    /// Returns the lane of a judge that cases of this file may ask.
    fn judge_lane(&self, file: &EvalFile, name: &str) -> Option<&Lane> {
        let at = self.assignment.target(file.index, name)?;
        self.lanes.get(at).map(|lane| &**lane)
    }

    /// Returns digests of everything that can change the verdicts of these judges. `usual` is the judge for
    /// evaluators that name none.
    pub(crate) fn judge_identities(
        &self,
        file: &EvalFile,
        usual: &str,
        judges: &[Judge],
    ) -> Vec<String> {
        let names = judges.iter().map(|judge| match judge {
            Judge::Usual => usual,
            Judge::Named(name) => name,
        });
        names
            .map(|name| match self.judge_lane(file, name) {
                Some(lane) => lane.digest(file.index).to_string(),
                None => name.to_owned(),
            })
            .collect()
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_ANSWER {
        text.truncate(text.floor_char_boundary(LONGEST_ANSWER));
        text.push('…');
    }
    text
}
