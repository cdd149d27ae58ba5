//! What a trial has to do with the cache.

use agentv_core::{RunEvent, Transcript};

use crate::run_state::RunState;
use crate::trial::job::Job;

/// Whether the target need not be asked.
pub(crate) fn is_cached(run: &RunState, job: &Job) -> bool {
    from_cache(run, job).is_some()
}

/// The answer that an earlier run was given.
pub(crate) fn from_cache(run: &RunState, job: &Job) -> Option<Transcript> {
    match run.cache.as_ref()?.get(&job.answer_key) {
        Ok(found) => found,
        Err(error) => {
            notice_once(run, job, &error.to_string());
            None
        }
    }
}

/// Keeps an answer for later runs.
pub(crate) fn keep_in_cache(run: &RunState, job: &Job, transcript: &Transcript) {
    let Some(cache) = &run.cache else { return };
    let kept = cache.put(&job.answer_key, transcript, run.journal.secrets());
    if let Err(error) = kept {
        notice_once(run, job, &error.to_string());
    }
}

fn notice_once(run: &RunState, job: &Job, message: &str) {
    if job.lane.first_notice() {
        run.tell(&RunEvent::Noticed(message));
    }
}
