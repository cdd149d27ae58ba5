//! The summary of a run, as data.

use std::sync::Arc;

use agentv_core::{Score, Stage, Status, TrialName};
use serde::{Deserialize, Serialize};

use super::statuses::Statuses;

/// What a run came to. Made by a [`SummaryFold`](super::SummaryFold), the same whatever the order of the records.
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
