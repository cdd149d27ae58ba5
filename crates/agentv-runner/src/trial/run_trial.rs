//! One trial: a case asked of a target, and graded.

use std::sync::Arc;
use std::time::Instant;

use agentv_core::{Cause, Prompt, ProviderError, RunEvent, Timing, Transcript};

use crate::cache::lookup::{from_cache, keep_in_cache};
use crate::run_state::{RunError, RunState};
use crate::schedule::budget::SetAside;
use crate::schedule::lane::Lane;
use crate::trial::attempt::{Asked, ask};
use crate::trial::job::{Job, Work, prompt_of, request_of};
use crate::trial::outcome::{Answered, errored, finish, graded, unless_it_panics, write_and_grade};
use crate::trial::prompt_dump::dump;

/// Does what a trial needs, and writes it down.
pub(crate) async fn run_trial(
    run: Arc<RunState>,
    job: Job,
    taken_up: Instant,
    set_aside: Option<SetAside>,
) {
    run.tell(&RunEvent::Started {
        eval_id: &job.case.id,
        target: &job.lane.name,
        trial: job.trial,
    });
    let prompt = prompt_of(&job);
    let outcome = match &job.work {
        Work::Grade(_) => None,
        Work::Ask => Some(answer_or_fail(&run, &job, &prompt, taken_up).await),
    };
    if let Some(set_aside) = &set_aside {
        settle(&run, &job, set_aside, outcome.as_ref());
    }
    let record = match (outcome, &job.work) {
        (Some(Outcome::Abandoned), _) => None,
        (Some(Outcome::Answered(answered)), _) => {
            write_and_grade(&run, &job, &prompt, answered).await
        }
        (Some(Outcome::Failed(asked)), _) => Some(errored(&job, asked)),
        (None, Work::Grade(record)) => {
            let answered = Answered {
                transcript: record.transcript.clone(),
                timing: record.timing,
                attempts: record.attempts,
                cached: record.cached,
            };
            graded(&run, &job, &prompt, answered).await
        }
        (None, Work::Ask) => None,
    };
    finish(&run, record);
}

enum Outcome {
    Answered(Answered),
    Failed(Asked),
    Abandoned,
}

/// What came of asking; a provider that panics is an error of its case.
async fn answer_or_fail(run: &RunState, job: &Job, prompt: &Prompt, taken_up: Instant) -> Outcome {
    match unless_it_panics(answer(run, job, prompt, taken_up)).await {
        Ok(outcome) => outcome,
        Err(reason) => Outcome::Failed(Asked {
            answer: Err(ProviderError::new(Cause::Answer, reason)),
            timing: Timing::default(),
            attempts: 1,
        }),
    }
}

/// The answer from the cache, else from the target.
async fn answer(run: &RunState, job: &Job, prompt: &Prompt, taken_up: Instant) -> Outcome {
    if let Some(transcript) = from_cache(run, job) {
        return Outcome::Answered(Answered {
            transcript,
            timing: Timing::default(),
            attempts: 0,
            cached: true,
        });
    }
    if dump_prompt(run, job, prompt).is_none() {
        return Outcome::Abandoned;
    }
    let mut request = request_of(job, prompt.clone());
    let asked = ask(run, &job.lane, &mut request, taken_up).await;
    match asked {
        None => Outcome::Abandoned,
        Some(Asked {
            answer: Ok(transcript),
            timing,
            attempts,
        }) => {
            keep_in_cache(run, job, &transcript);
            Outcome::Answered(Answered {
                transcript,
                timing,
                attempts,
                cached: false,
            })
        }
        Some(failed) => Outcome::Failed(failed),
    }
}

/// Writes what the target is sent, where the user wants to see it; `None` when that fails.
pub(crate) fn dump_prompt(run: &RunState, job: &Job, prompt: &Prompt) -> Option<()> {
    let Some(folder) = &run.dump_prompts else {
        return Some(());
    };
    let dumped = dump(folder, job, prompt, run.journal.secrets());
    let failed = dumped.map_err(|source| {
        let folder = folder.clone();
        run.fail(RunError::Dump { folder, source });
    });
    failed.ok().map(drop)
}

fn settle(run: &RunState, job: &Job, set_aside: &SetAside, outcome: Option<&Outcome>) {
    let (answered, cost) = match outcome {
        // Somebody paid for it before.
        Some(Outcome::Answered(Answered { cached: true, .. })) => (false, None),
        Some(Outcome::Answered(answered)) => (true, answered.transcript.cost_usd),
        Some(Outcome::Failed(_) | Outcome::Abandoned) | None => (false, None),
    };
    settle_cost(run, &job.lane, set_aside, answered, cost);
}

/// Counts what was asked; says so where nobody knows what it cost.
pub(crate) fn settle_cost(
    run: &RunState,
    lane: &Lane,
    set_aside: &SetAside,
    answered: bool,
    cost: Option<f64>,
) {
    if run.budget.settle(set_aside, answered, cost) {
        run.tell(&RunEvent::Noticed(&format!(
            "nobody knows what answers of target `{}` cost: --budget does not limit it",
            lane.name
        )));
    }
}

/// Everything that is known of one trial of a batch, written and graded.
pub(crate) async fn run_answered(
    run: &RunState,
    job: &Job,
    answer: Result<Transcript, ProviderError>,
    timing: Timing,
) {
    let prompt = prompt_of(job);
    let record = match answer {
        Ok(transcript) => {
            keep_in_cache(run, job, &transcript);
            let answered = Answered {
                transcript,
                timing,
                attempts: 1,
                cached: false,
            };
            write_and_grade(run, job, &prompt, answered).await
        }
        Err(error) => Some(errored(
            job,
            Asked {
                answer: Err(error),
                timing,
                attempts: 1,
            },
        )),
    };
    finish(run, record);
}
