//! The state that the tasks of a coordinating process share.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agentv_core::{Digest, RunEvent, Step, TranscriptRecord, Trial};
use agentv_project::RunNeeds;
use agentv_runner::{Acknowledge, Executor, RemoteNews};
use async_nats::Client;
use async_nats::jetstream::Context;
use async_nats::jetstream::object_store::ObjectStore;
use tokio::sync::OnceCell;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::calls::Calls;
use super::news::EarlyNews;
use super::store::FileStore;
use super::streams::MOST_DELIVERIES;
use super::suspects::Suspects;
use super::workers::Workers;
use crate::names::RunNames;
use crate::protocol::RunState;

/// The state of a coordinating process.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) jetstream: Context,
    pub(super) names: RunNames,
    pub(super) objects: ObjectStore,
    pub(super) files: FileStore,
    pub(super) needs: Arc<RunNeeds>,
    pub(super) executor: OnceLock<Arc<Executor>>,
    pub(super) trials: Mutex<Trials>,
    pub(super) workers: Workers,
    pub(super) calls: Calls,
    /// Set once the news that existed when the run was stopped are on disk.
    pub(super) caught_up: OnceCell<()>,
    /// Ends all tasks.
    pub(super) over: CancellationToken,
}

/// The trials that were handed over.
#[derive(Default)]
pub(super) struct Trials {
    /// Those that have not ended, by their keys.
    pub(super) open: HashMap<String, OpenTrial>,
    /// The keys of those that have ended, as digests: later news of theirs are ignored. `None` if no process
    /// coordinated the run before: then every trial that is not open has ended.
    pub(super) ended: Option<HashSet<u64>>,
    /// News of trials that were handed over before this process began.
    pub(super) early: HashMap<String, Vec<EarlyNews>>,
    /// Trials whose workers were lost more than once.
    pub(super) suspects: Suspects,
    /// A count that grows with everything that happens.
    pub(super) changes: u64,
}

/// A trial that was handed over and has not ended.
pub(super) struct OpenTrial {
    pub(super) lane: usize,
    pub(super) trial: Arc<Trial>,
    pub(super) sender: UnboundedSender<RemoteNews>,
    /// The transcript that was recorded last: an answer, or the part of one before an error.
    pub(super) answer: Option<Arc<TranscriptRecord>>,
    /// The reason why the last attempt failed, if its worker reported one.
    pub(super) failure: Option<String>,
    /// True once the server has the trial.
    pub(super) is_published: bool,
}

impl Trials {
    /// Returns true if a trial is known to have ended.
    pub(super) fn has_ended(&self, key: &str) -> bool {
        match &self.ended {
            Some(ended) => ended.contains(&digest_of(key)),
            None => !self.open.contains_key(key),
        }
    }

    /// Ends a trial, and returns it if it was open.
    pub(super) fn end(&mut self, key: &str) -> Option<OpenTrial> {
        self.changes += 1;
        self.suspects.end(key);
        if let Some(ended) = &mut self.ended {
            ended.insert(digest_of(key));
        }
        self.open.remove(key)
    }
}

impl OpenTrial {
    /// Returns the answer that is recorded, if it is complete.
    pub(super) fn recorded_answer(&self) -> Option<&Arc<TranscriptRecord>> {
        let recorded = self.answer.as_ref();
        recorded.filter(|answer| answer.error.is_none() && !answer.unfinished)
    }

    /// Passes on a step.
    pub(super) fn step(&self, step: Step, acknowledge: Acknowledge) {
        let _ = self
            .sender
            .send(RemoteNews::Step(Box::new(step), acknowledge));
    }
}

impl Shared {
    pub(super) fn trials(&self) -> MutexGuard<'_, Trials> {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Prints a notice.
    pub(super) fn notice(&self, message: String) {
        if let Some(executor) = self.executor.get() {
            executor.pass_on(RunEvent::Noticed { message });
        }
    }

    /// Returns the state of the run, for workers.
    pub(super) fn state(&self) -> RunState {
        let is_stopping = self.executor.get().is_some_and(|it| it.takes_none_up());
        match (self.over.is_cancelled(), is_stopping) {
            (true, _) => RunState::Over,
            (false, true) => RunState::Stopping,
            (false, false) => RunState::Going,
        }
    }

    /// Ends a trial that was given to workers too often.
    pub(super) fn lose_after_attempts(&self, key: &str) {
        let failure = {
            let trials = self.trials();
            let open = trials.open.get(key);
            open.and_then(|open| open.failure.clone())
        };
        let message = match failure {
            Some(reason) => {
                format!("no worker could execute it in {MOST_DELIVERIES} attempts; {reason}")
            }
            None => format!(
                "its worker was lost {MOST_DELIVERIES} times while it worked on this trial, which may be the \
                 reason: look for a crash or for too little memory on the workers"
            ),
        };
        self.lose(key, &message);
    }

    /// Ends a trial that no worker can execute.
    pub(super) fn lose(&self, key: &str, message: &str) {
        let lost = {
            let mut trials = self.trials();
            trials.end(key)
        };
        if let (Some(lost), Some(executor)) = (lost, self.executor.get()) {
            let step = executor.lost(&lost.trial, message.to_owned());
            lost.step(step, Box::new(|| {}));
        }
    }
}

/// Returns a digest of a key: one of 8 bytes is enough to tell the trials of a run apart.
fn digest_of(key: &str) -> u64 {
    Digest::of(key.as_bytes()).short()
}
