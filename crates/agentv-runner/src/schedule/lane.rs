//! One target of a run: its limits, and how it is doing.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agentv_core::Target;
use tokio::sync::{OnceCell, Semaphore};

use crate::schedule::concurrency::Concurrency;
use crate::schedule::rate_limit::RateLimit;
use crate::trial::keys::identity;

/// One target of a run. Lanes do not wait for each other.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) index: usize,
    pub(crate) target: Target,
    /// The target's name, shared by all its records.
    pub(crate) name: Arc<str>,
    /// Everything of the target that can change its answers.
    pub(crate) identity: String,
    /// Whether it was made sure that the target can be asked.
    pub(crate) prepared: OnceCell<()>,
    /// The calls in flight.
    pub(crate) concurrency: Arc<Concurrency>,
    pub(crate) rate_limit: RateLimit,
    /// The trials that are taken up, waiting between attempts included.
    pub(crate) slots: Arc<Semaphore>,
    latency: Latency,
    /// Whether a trouble with the cache was told.
    noticed: Mutex<bool>,
}

impl Lane {
    pub(crate) fn new(index: usize, target: Target) -> Lane {
        let workers = target.limits.workers.max(1);
        Lane {
            index,
            name: Arc::from(target.name.as_str()),
            identity: identity(&target),
            prepared: OnceCell::new(),
            concurrency: Arc::new(Concurrency::new(workers)),
            rate_limit: RateLimit::new(&target.limits),
            slots: Arc::new(Semaphore::new(workers.min(Semaphore::MAX_PERMITS))),
            latency: Latency::default(),
            noticed: Mutex::new(false),
            target,
        }
    }

    /// Notes how long an answer took.
    pub(crate) fn answered_in(&self, duration: Duration) {
        self.latency.add(duration);
    }

    /// How long an answer takes, by those so far; nothing before the first.
    pub(crate) fn typical_latency(&self) -> Duration {
        self.latency.typical()
    }

    /// True the first time.
    pub(crate) fn first_notice(&self) -> bool {
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut *noticed, true)
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
