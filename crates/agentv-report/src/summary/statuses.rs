//! The number of trials by status.

use agentv_core::Status;
use serde::{Deserialize, Serialize};

/// The number of trials by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Statuses {
    /// Trials with a good answer.
    pub pass: u64,
    /// Trials with a nearly good answer.
    pub borderline: u64,
    /// Trials with a bad answer.
    pub fail: u64,
    /// Trials that errored, so that nothing is known about the answer.
    pub error: u64,
    /// Trials that nothing graded.
    pub ungraded: u64,
}

impl Statuses {
    /// Returns the number of trials with a status.
    pub fn of(&self, status: Status) -> u64 {
        match status {
            Status::Pass => self.pass,
            Status::Borderline => self.borderline,
            Status::Fail => self.fail,
            Status::Error => self.error,
            Status::Ungraded => self.ungraded,
        }
    }

    /// Adds a trial.
    pub fn add(&mut self, status: Status) {
        let count = match status {
            Status::Pass => &mut self.pass,
            Status::Borderline => &mut self.borderline,
            Status::Fail => &mut self.fail,
            Status::Error => &mut self.error,
            Status::Ungraded => &mut self.ungraded,
        };
        *count += 1;
    }

    /// Adds the counts of another.
    pub(crate) fn join(&mut self, other: &Statuses) {
        self.pass += other.pass;
        self.borderline += other.borderline;
        self.fail += other.fail;
        self.error += other.error;
        self.ungraded += other.ungraded;
    }

    /// Returns the number of all trials.
    pub fn total(&self) -> u64 {
        Status::ALL.iter().map(|status| self.of(*status)).sum()
    }

    /// Returns the number of graded trials.
    pub fn graded(&self) -> u64 {
        self.pass + self.borderline + self.fail
    }

    /// Returns the share of the graded trials that passed, or `None` if nothing was graded.
    pub fn pass_rate(&self) -> Option<f64> {
        let graded = self.graded();
        (graded > 0).then(|| self.pass as f64 / graded as f64)
    }
}
