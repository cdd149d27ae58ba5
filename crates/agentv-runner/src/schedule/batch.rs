//! Targets that are asked once for all cases of an eval file.

use std::sync::Arc;
use std::time::Instant;

use agentv_core::{BatchProvider, Cause, ProviderError, Request, RunEvent, Timing};
use futures_util::{StreamExt, stream};

use crate::run_state::RunState;
use crate::schedule::budget::SetAside;
use crate::schedule::dispatch::admit;
use crate::schedule::lane::Lane;
use crate::trial::attempt::{milliseconds, timeout};
use crate::trial::job::{Job, prompt_of, request_of};
use crate::trial::run_trial::{dump_prompt, run_answered, settle_cost};

/// The trials of one eval file, gathered until the next file begins.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    jobs: Vec<Job>,
}

impl Batch {
    /// Adds a trial; gives the gathered ones when it belongs to another file.
    pub(crate) fn add(&mut self, job: Job) -> Vec<Job> {
        let other = self
            .jobs
            .first()
            .is_some_and(|first| first.file.index != job.file.index);
        let gathered = match other {
            true => std::mem::take(&mut self.jobs),
            false => Vec::new(),
        };
        self.jobs.push(job);
        gathered
    }

    /// What is left at the end.
    pub(crate) fn rest(self) -> Vec<Job> {
        self.jobs
    }
}

/// Asks once for each repeat of the cases in `jobs`.
pub(crate) async fn run_batch(run: Arc<RunState>, mut jobs: Vec<Job>) {
    jobs.sort_by_key(|job| job.trial);
    for repeat in jobs.chunk_by(|one, next| one.trial == next.trial) {
        if run.stop.is_stopped() {
            return;
        }
        run_repeat(&run, repeat).await;
    }
}

async fn run_repeat(run: &RunState, jobs: &[Job]) {
    let Some(lane) = jobs.first().map(|job| &job.lane) else {
        return;
    };
    let Some(batch) = lane.target.provider.batch() else {
        return;
    };
    let mut requests = Vec::with_capacity(jobs.len());
    for job in jobs {
        let prompt = prompt_of(job);
        if dump_prompt(run, job, &prompt).is_none() {
            return;
        }
        requests.push(request_of(job, prompt));
    }
    let Some(set_aside) = admit(run, lane).await else {
        return;
    };
    for job in jobs {
        run.tell(&RunEvent::Started {
            eval_id: &job.case.id,
            target: &lane.name,
            trial: job.trial,
        });
    }
    let started = Instant::now();
    let answers = call(run, batch, &requests).await;
    settle(
        run,
        lane,
        &set_aside,
        answers.as_deref().unwrap_or_default(),
    );
    let timing = Timing {
        queue_ms: None,
        // The command's time, shared by all: no case has one of its own.
        total_ms: Some(milliseconds(started.elapsed())),
    };
    match answers {
        Ok(answers) => {
            // Judges may be asked, which takes its time.
            let answered = stream::iter(jobs.iter().zip(answers));
            let at_once = lane.target.limits.workers.max(1);
            let graded = answered.for_each_concurrent(at_once, |(job, answer)| {
                run_answered(run, job, answer, timing)
            });
            graded.await;
        }
        Err(error) if error.cause == Cause::Cancelled => {
            jobs.iter().for_each(|_| run.tell(&RunEvent::Abandoned));
        }
        Err(error) => {
            for job in jobs {
                run_answered(run, job, Err(error.clone()), timing).await;
            }
        }
    }
}

type Answer = Result<agentv_core::Transcript, ProviderError>;
type Answers = Vec<Answer>;

/// Counts what all answers cost together.
fn settle(run: &RunState, lane: &Lane, set_aside: &SetAside, answers: &[Answer]) {
    let answered = answers.iter().flatten();
    let costs: Vec<f64> = answered
        .clone()
        .filter_map(|transcript| transcript.cost_usd)
        .collect();
    let cost = (!costs.is_empty()).then(|| costs.iter().sum());
    settle_cost(run, lane, set_aside, answered.count() > 0, cost);
}

async fn call(
    run: &RunState,
    batch: &dyn BatchProvider,
    requests: &[Request],
) -> Result<Answers, ProviderError> {
    let cancel = run.stop.abortion().child_token();
    let limit = requests.first().map(|request| request.timeout);
    let limit = limit.unwrap_or_default();
    tokio::select! {
        biased;
        answers = batch.answer_all(requests, &cancel) => answers,
        () = tokio::time::sleep(limit) => Err(timeout(limit)),
    }
}
