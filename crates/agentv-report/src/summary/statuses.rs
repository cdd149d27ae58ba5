//! The number of trials by status.

use agentv_core::Status;
use serde::{Deserialize, Serialize};

/// How many trials ended in each way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Statuses {
    /// The answer is good.
    pub pass: u64,
    /// The answer is nearly good.
    pub borderline: u64,
    /// The answer is not good.
    pub fail: u64,
    /// Nothing is known of the answer.
    pub error: u64,
    /// There was nothing to grade by.
    pub ungraded: u64,
}

impl Statuses {
    /// How many ended this way.
    pub fn of(&self, status: Status) -> u64 {
        match status {
            Status::Pass => self.pass,
            Status::Borderline => self.borderline,
            Status::Fail => self.fail,
            Status::Error => self.error,
            Status::Ungraded => self.ungraded,
        }
    }

    /// Counts one more.
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

    /// Counts what another has.
    pub(crate) fn join(&mut self, other: &Statuses) {
        self.pass += other.pass;
        self.borderline += other.borderline;
        self.fail += other.fail;
        self.error += other.error;
        self.ungraded += other.ungraded;
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        Status::ALL.iter().map(|status| self.of(*status)).sum()
    }

    /// Those that have a grade.
    pub fn graded(&self) -> u64 {
        self.pass + self.borderline + self.fail
    }

    /// The share of the graded ones that passed; `None` where nothing was graded.
    pub fn pass_rate(&self) -> Option<f64> {
        let graded = self.graded();
        (graded > 0).then(|| self.pass as f64 / graded as f64)
    }
}
