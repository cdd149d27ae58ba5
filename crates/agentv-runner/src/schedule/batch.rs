//! Targets that are asked once for all cases of an eval file.

use std::sync::Arc;
use std::time::Instant;

use agentv_core::{
    BatchProvider, Cause, ProviderError, Request, Step, Timing, Transcript, Trial, Work,
};

use crate::consumer::Consumer;
use crate::schedule::dispatch::Dispatcher;
use crate::schedule::lane::Lane;
use crate::trial::attempt::{milliseconds, timeout};
use crate::trial::execute::Executor;
use crate::trial::panic::catch_panic;
use crate::trial::records::{errored_record, transcript_record};
use crate::trial::request::{prompt_of, request_of};

/// The trials of one eval file, gathered until the next file begins.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    trials: Vec<Trial>,
}

impl Batch {
    /// Adds a trial. Returns the gathered ones if it belongs to another file.
    pub(crate) fn add(&mut self, trial: Trial) -> Vec<Trial> {
        let first = self.trials.first();
        let is_other = first.is_some_and(|first| first.file.index != trial.file.index);
        let gathered = if is_other {
            std::mem::take(&mut self.trials)
        } else {
            Vec::new()
        };
        self.trials.push(trial);
        gathered
    }

    /// Returns the trials that are left at the end.
    pub(crate) fn rest(self) -> Vec<Trial> {
        self.trials
    }
}

/// Asks a target once for one repeat of all cases of a file, and records the answers. Returns the trials
/// that have an answer to grade; `None` if the run is stopped.
pub(crate) async fn ask_together(
    dispatcher: &Dispatcher,
    lane: &Lane,
    trials: Vec<Trial>,
) -> Option<Vec<Trial>> {
    let batch = lane.target.provider.batch()?;
    if dispatcher.executor.stop.is_stopped() {
        return None;
    }
    let timeout = lane.target.limits.timeout;
    let requests = trials
        .iter()
        .map(|trial| request_of(trial, prompt_of(trial), timeout));
    let requests: Vec<Request> = requests.collect();
    let set_aside = dispatcher.admit(lane).await?;
    for trial in &trials {
        if dispatcher.consumer.begin(trial).is_break() {
            return None;
        }
    }
    let started = Instant::now();
    let answers = call(&dispatcher.executor, batch, &requests).await;
    let (answered, cost) = cost_of(answers.as_deref().unwrap_or_default());
    dispatcher.executor.settle(lane, set_aside, answered, cost);
    // All cases share the time of the command: no case has one of its own.
    let timing = Timing {
        queue_ms: None,
        total_ms: Some(milliseconds(started.elapsed())),
    };
    let answers = match answers {
        Ok(answers) => answers,
        Err(error) if error.cause == Cause::Cancelled => {
            let abandoned = trials.iter();
            abandoned.for_each(|trial| dispatcher.consumer.abandon(trial));
            return None;
        }
        Err(error) => vec![Err(error); trials.len()],
    };
    let answered = trials.into_iter().zip(answers);
    let answered =
        answered.filter_map(|(trial, answer)| record(&dispatcher.consumer, trial, answer, timing));
    Some(answered.collect())
}

type Answer = Result<Transcript, ProviderError>;

/// Records the answer of a trial, or its error. Returns the trial if there is an answer to grade.
fn record(consumer: &Consumer, trial: Trial, answer: Answer, timing: Timing) -> Option<Trial> {
    let transcript = match answer {
        Ok(transcript) => transcript,
        Err(error) => {
            let record = errored_record(&trial, error.message, timing, 1);
            let _ = consumer.take(Step::Ended(Box::new(record)));
            return None;
        }
    };
    let answer = transcript_record(&trial, transcript, timing, 1);
    let redacted = answer.redacted_by(consumer.secrets());
    let answer = Arc::new(redacted.unwrap_or(answer));
    if consumer
        .take(Step::Answered(Arc::clone(&answer)))
        .is_break()
    {
        consumer.abandon(&trial);
        return None;
    }
    Some(Trial {
        work: Work::Grade {
            answer,
            recorded: true,
        },
        ..trial
    })
}

/// Returns whether any answer came, and the cost of all together, if any is known.
fn cost_of(answers: &[Answer]) -> (bool, Option<f64>) {
    let answered = answers.iter().flatten();
    let costs = answered
        .clone()
        .filter_map(|transcript| transcript.cost_usd);
    let cost = costs.reduce(|sum, cost| sum + cost);
    (answered.count() > 0, cost)
}

async fn call(
    executor: &Executor,
    batch: &dyn BatchProvider,
    requests: &[Request],
) -> Result<Vec<Answer>, ProviderError> {
    let cancel = executor.stop.abortion().child_token();
    let limit = requests.first().map(|request| request.timeout);
    let limit = limit.unwrap_or_default();
    tokio::select! {
        biased;
        answers = catch_panic(batch.answer_all(requests, &cancel)) => {
            let panicked = |error| Err(ProviderError::new(Cause::Answer, format!("{error}")));
            answers.unwrap_or_else(panicked)
        }
        () = tokio::time::sleep(limit) => Err(timeout(limit)),
    }
}
