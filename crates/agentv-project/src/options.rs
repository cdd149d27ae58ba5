//! Options that several requests share.

use std::num::NonZeroU64;
use std::time::Duration;

use agentv_core::Target;
use agentv_report::{DropGate, ErrorAllowance, GateSpec};
use agentv_runner::Shard;

/// The earlier run to resume.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resume {
    /// The newest run of the same request.
    Newest,
    /// The run that the user named.
    Named(String),
}

/// Limits on how fast, how often and how long targets are asked.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LimitOptions {
    /// The most requests in flight to each target.
    pub workers: Option<u64>,
    /// The longest time that one attempt may take.
    pub timeout: Option<Duration>,
    /// The number of times that a failed attempt is repeated.
    pub max_retries: Option<u32>,
    /// The most that the run may cost, in US dollars.
    pub budget: Option<f64>,
    /// Gives a shard the whole budget and the whole limits per minute, instead of its part.
    pub whole: bool,
    /// The number of shards that share the limits per minute.
    pub sharers: Option<NonZeroU64>,
    /// The longest time that the run may take.
    pub max_time: Option<Duration>,
    /// Refuses evaluators that run a command, and targets that do and that a file defines which the user
    /// did not name.
    pub no_scripts: bool,
}

impl LimitOptions {
    /// Returns the limits of one of several shards: a part of the budget and of the limits per minute, unless
    /// the request wants the whole.
    pub(crate) fn of_shard(self, shard: Option<Shard>) -> LimitOptions {
        let count = shard.and_then(|shard| NonZeroU64::new(shard.count()));
        let Some(count) = count.filter(|_| !self.whole) else {
            return self;
        };
        LimitOptions {
            budget: self.budget.map(|budget| budget / count.get() as f64),
            sharers: Some(count),
            ..self
        }
    }

    /// Replaces the limits of the targets file with those that are given here.
    pub(crate) fn apply(&self, target: &mut Target) {
        let limits = &mut target.limits;
        if let Some(workers) = self.workers {
            limits.workers = usize::try_from(workers).unwrap_or(usize::MAX);
            limits.has_own_workers = true;
        }
        if let Some(sharers) = self.sharers {
            limits.sharers = sharers;
        }
        if let Some(sharers) = self.sharers {
            limits.sharers = sharers;
        }
        if let Some(timeout) = self.timeout {
            limits.timeout = timeout;
        }
        if let Some(max_retries) = self.max_retries {
            limits.retry.max_retries = max_retries;
        }
    }
}

/// Requirements for the results of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GateOptions {
    /// Requirements for the results alone.
    pub spec: GateSpec,
    /// The errors that the run may have (default: none).
    pub max_errors: Option<ErrorAllowance>,
    /// The run, or the file of results, to compare with.
    pub baseline: Option<String>,
    /// The most by which the run may be worse than the baseline.
    pub drop: DropGate,
}
