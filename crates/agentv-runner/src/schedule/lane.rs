//! A lane: one target of a run with its limits and its recent latency.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agentv_core::{Digest, Program, Target, target_digest};
use tokio::sync::{OnceCell, Semaphore};

use crate::schedule::concurrency::Concurrency;
use crate::schedule::rate_limit::RateLimit;

/// One target of a run. Lanes do not wait for each other.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) index: usize,
    pub(crate) target: Target,
    /// The target's name, shared by all its records.
    pub(crate) name: Arc<str>,
    /// The judge for evaluators that name none.
    pub(crate) judge: Arc<str>,
    /// A digest of everything in the target that can change its answers, without a program.
    digest: Digest,
    /// The same with the target's program, by the index of the eval file.
    with_program: HashMap<usize, Digest>,
    /// Set once the target is known to be ready.
    pub(crate) prepared: OnceCell<()>,
    /// The calls in flight.
    pub(crate) concurrency: Arc<Concurrency>,
    pub(crate) rate_limit: RateLimit,
    /// The trials in work, including those that wait between attempts.
    pub(crate) slots: Arc<Semaphore>,
    latency: Latency,
}

impl Lane {
    /// Makes a lane. `programs` are those of the target, by the index of the eval file.
    pub(crate) fn new<'p>(
        index: usize,
        target: Target,
        programs: impl Iterator<Item = (usize, &'p Program)>,
    ) -> Lane {
        let workers = target.limits.workers.max(1);
        Lane {
            index,
            name: Arc::from(target.name.as_str()),
            judge: target
                .judge_target
                .as_deref()
                .unwrap_or(&target.name)
                .into(),
            digest: target_digest(&target, &Program::new()),
            with_program: programs
                .map(|(file, program)| (file, target_digest(&target, program)))
                .collect(),
            prepared: OnceCell::new(),
            concurrency: Arc::new(Concurrency::new(workers)),
            rate_limit: RateLimit::new(&target.limits),
            slots: Arc::new(Semaphore::new(workers.min(Semaphore::MAX_PERMITS))),
            latency: Latency::default(),
            target,
        }
    }

    /// Returns a digest of everything that can change the target's answers to the cases of an eval
    /// file.
    pub(crate) fn digest(&self, file: usize) -> Digest {
        self.with_program.get(&file).copied().unwrap_or(self.digest)
    }

    /// Notes the duration of an answer.
    pub(crate) fn answered_in(&self, duration: Duration) {
        self.latency.add(duration);
    }

    /// Returns the typical duration of an answer so far; zero before the first.
    pub(crate) fn typical_latency(&self) -> Duration {
        self.latency.typical()
    }
}

/// A mean that forgets slowly, in microseconds.
#[derive(Debug, Default)]
struct Latency(AtomicU64);

impl Latency {
    fn add(&self, duration: Duration) {
        let new = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |mean| {
                Some(match mean {
                    0 => new,
                    mean => mean - mean / 8 + new / 8,
                })
            });
    }

    fn typical(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }
}
