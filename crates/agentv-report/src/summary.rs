//! What a run came to, in figures.

mod amount;
mod errors;
mod extremes;
mod fold;
mod latency;
mod scores;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use agentv_core::{ResultRecord, Score, Stage, Status};
use serde::{Deserialize, Serialize};

pub(crate) use amount::Amount;
pub(crate) use fold::GroupFold;
pub use fold::SummaryFold;
pub(crate) use fold::graded_score;
pub(crate) use latency::LatencyFold;
pub(crate) use scores::Moments;

/// What a run came to. Made by a [`SummaryFold`], the same whatever the order of the records.
///
/// Errored and ungraded trials are counted, and stand outside every mean and rate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// How many trials ended.
    pub trials: u64,
    /// How many cases were left out because something is wrong with them.
    pub skipped: u64,
    /// How the trials ended.
    pub statuses: Statuses,
    /// How many trials have a grade: passed, borderline and failed.
    pub graded: u64,
    /// The share of the graded trials that passed; none where nothing was graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The scores of the graded trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
    /// How many answers came from the cache: they cost nothing and took no time.
    pub cached: u64,
    /// How many answers came from a mock in the place of the target.
    pub dry_run: u64,
    /// How many trials took more than one attempt.
    pub retried: u64,
    /// What the answers cost in US dollars, where some is known; those from the cache cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The tokens of the answers, where some are known, those from the cache left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// How long targets took to answer, where measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The failed and borderline trials with the lowest scores, the lowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<WorstTrial>,
    /// The trials whose call took longest, the longest first, those from the cache left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<SlowTrial>,
    /// The trials that cost most, the most first, those from the cache left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costliest: Vec<CostlyTrial>,
    /// What went wrong most often in errored trials, the most often first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorGroup>,
    /// The same for each target, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetSummary>,
}

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

/// The scores of a number of trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// How many there are.
    pub count: u64,
    /// The plain average.
    pub mean: f64,
    /// The one in the middle, to six decimals; of an even number, the mean of the two.
    pub median: f64,
    /// The lowest, to six decimals.
    pub min: f64,
    /// The highest, to six decimals.
    pub max: f64,
    /// The standard deviation of a sample, with n − 1: a run is a sample of what its targets would
    /// do. One score has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_deviation: Option<f64>,
    /// How many lie in each tenth, from 0 to 1; a score on a border belongs to the tenth above it.
    pub histogram: [u64; 10],
}

/// The tokens of a number of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens that models read, cached ones included.
    pub input: u64,
    /// Tokens that they wrote.
    pub output: u64,
    /// Those of `input` that came from a vendor's cache.
    pub cached: u64,
}

/// How long calls took that were answered, right to one percent. Errored trials and answers from the
/// cache are left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// How many were measured.
    pub count: u64,
    /// Half of the calls took no longer.
    pub median_ms: f64,
    /// 95 of a hundred calls took no longer.
    pub p95_ms: f64,
}

/// Which trial.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TrialName {
    /// The eval file, relative to the project root.
    pub eval_file: Arc<str>,
    /// The id of the case.
    pub eval_id: String,
    /// The target that was asked.
    pub target: Arc<str>,
    /// Which repeat of the case, from 1.
    pub trial: u32,
}

impl From<&ResultRecord> for TrialName {
    fn from(record: &ResultRecord) -> TrialName {
        TrialName {
            eval_file: Arc::clone(&record.eval_file),
            eval_id: record.eval_id.clone(),
            target: Arc::clone(&record.target),
            trial: record.trial,
        }
    }
}

/// A trial with a low score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstTrial {
    /// Which.
    pub trial: TrialName,
    /// How it ended.
    pub status: Status,
    /// Its score.
    pub score: Score,
    /// The beginning of why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A trial whose call took long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlowTrial {
    /// Which.
    pub trial: TrialName,
    /// How long.
    pub total_ms: f64,
}

/// A trial that cost much.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostlyTrial {
    /// Which.
    pub trial: TrialName,
    /// How much.
    pub cost_usd: f64,
}

/// Errors that are alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorGroup {
    /// Where it went wrong.
    pub stage: Stage,
    /// What happened: the first line, with `…` in the place of long numbers and identifiers.
    pub message: String,
    /// How many trials ended so.
    pub count: u64,
}

/// What a run came to for one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetSummary {
    /// The target.
    pub target: Arc<str>,
    /// How its trials ended.
    pub statuses: Statuses,
    /// The share of its graded trials that passed; none where nothing was graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The mean of its scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<f64>,
    /// What its answers cost in US dollars, where some is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}
