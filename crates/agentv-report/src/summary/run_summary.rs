//! The summary of a run, as data.

use std::sync::Arc;

use agentv_core::{PassThreshold, Score, Stage, Status, TrialName};
use serde::{Deserialize, Serialize};

use super::costs::Costs;
use super::statuses::Statuses;

/// The summary of a run, computed by a [`SummaryFold`](super::SummaryFold). It does not depend on
/// the order of the records.
///
/// Errored and ungraded trials are counted, but excluded from every mean and rate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The number of trials that ended.
    pub trials: u64,
    /// The number of cases with results.
    #[serde(default)]
    pub cases: u64,
    /// The number of cases that were skipped because of problems.
    pub skipped: u64,
    /// The number of trials by status.
    pub statuses: Statuses,
    /// The number of graded trials: passed, borderline and failed.
    pub graded: u64,
    /// The share of the graded trials that passed; `None` if nothing was graded, or if there are several
    /// targets: each has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The scores of the graded trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<Scores>,
    /// The lowest scores that pass, the lowest first, if any case has another one than the default. Of very
    /// many, some are omitted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_thresholds: Vec<PassThreshold>,
    /// The number of answers from the cache, which cost nothing and took no time.
    pub cached: u64,
    /// The number of answers that secrets were removed from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub redacted: u64,
    /// The number of results of an earlier version of their cases, targets or settings, which a resume did
    /// not repeat.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub outdated: u64,
    /// The number of answers from a mock that replaced the target.
    pub dry_run: u64,
    /// The number of trials that took more than one attempt.
    pub retried: u64,
    /// The costs of the answers and of the judges.
    #[serde(flatten)]
    pub costs: Costs,
    /// The tokens of the answers, as far as they are known, without answers from the cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The tokens of the judges, as far as they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_tokens: Option<Tokens>,
    /// The targets that graded answers of their own, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub self_judged: Vec<Arc<str>>,
    /// The targets and their judges, if they do not share them: scores of different judges cannot be compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub different_judges: Vec<TargetJudges>,
    /// The number of answers that were cut off because they reached the limit of tokens.
    #[serde(default)]
    pub truncated: u64,
    /// The number of trials whose target was stopped because it had used up its steps or turns.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub out_of_steps: u64,
    /// The workspaces that were kept, if any was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_workspaces: Option<KeptWorkspaces>,
    /// The latencies of the targets, if they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The times until the first token, if answers were streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token: Option<Latency>,
    /// The failed and borderline trials with the lowest scores, the lowest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub worst: Vec<WorstTrial>,
    /// The trials with the longest calls, the longest first, without answers from the cache.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<SlowTrial>,
    /// The trials with the costliest answers, the costliest first, without answers from the cache.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub costliest: Vec<CostlyTrial>,
    /// The most frequent errors, the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorGroup>,
    /// The figures of each target, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetSummary>,
}

/// A target and the judges of its answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetJudges {
    /// The target.
    pub target: Arc<str>,
    /// The judges, by name.
    pub judges: Vec<Arc<str>>,
}

impl Summary {
    /// Returns the mean score of all graded trials, on whatever target; `None` without any. It is the figure
    /// of a suite whose cases each name their own target.
    pub(crate) fn mean_of_all(&self) -> Option<f64> {
        let means = self.targets.iter().filter_map(|target| {
            let graded = target.statuses.graded() as f64;
            Some((target.mean_score? * graded, graded))
        });
        let (sum, graded) = means.fold((0.0, 0.0), |sums, one| (sums.0 + one.0, sums.1 + one.1));
        match self.targets.as_slice() {
            [single] => single.mean_score,
            _ => (graded > 0.0).then(|| sum / graded),
        }
    }
}

/// The scores of some trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// The number of scores.
    pub count: u64,
    /// The mean; `None` if there are several targets: the average of several is the figure of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The median; `None` as above. Of more than 100,000 different scores, it is rounded down to six decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// The lowest.
    pub min: f64,
    /// The highest.
    pub max: f64,
    /// The sample standard deviation, with n − 1, because a run is a sample of its targets'
    /// behaviour. `None` for a single score, and as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_deviation: Option<f64>,
    /// The number of scores in each tenth from 0 to 1; a score on a border belongs to the tenth
    /// above it.
    pub histogram: [u64; 10],
}

/// The tokens of some answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens that models read, including cached ones.
    pub input: u64,
    /// Tokens that models wrote.
    pub output: u64,
    /// The part of `input` that came from a vendor's cache.
    pub cached: u64,
}

/// The latencies of answered calls: exact up to 10,000 calls, else accurate to one percent. Errored trials and answers from the
/// cache are excluded.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// The number of measured calls.
    pub count: u64,
    /// The median.
    pub median_ms: f64,
    /// The 95th percentile.
    pub p95_ms: f64,
}

/// A trial with a low score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstTrial {
    /// The trial.
    pub trial: TrialName,
    /// Its status.
    pub status: Status,
    /// Its score.
    pub score: Score,
    /// The lowest score that passes, if it is not the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_threshold: Option<PassThreshold>,
    /// The start of the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A trial with a long call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SlowTrial {
    /// The trial.
    pub trial: TrialName,
    /// The duration of the call.
    pub total_ms: f64,
}

/// A trial with a costly answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CostlyTrial {
    /// The trial.
    pub trial: TrialName,
    /// The cost of the answer.
    pub cost_usd: f64,
}

/// Similar errors.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorGroup {
    /// The stage that failed.
    pub stage: Stage,
    /// The first line of the message, with `…` instead of long numbers and identifiers.
    pub message: String,
    /// The number of trials with this error.
    pub count: u64,
}

/// The figures of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TargetSummary {
    /// The target.
    pub target: Arc<str>,
    /// The number of its trials by status.
    pub statuses: Statuses,
    /// The share of its graded trials that passed; `None` if nothing was graded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The mean of its scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<f64>,
    /// The costs of its answers, and of the judges of its answers.
    #[serde(flatten)]
    pub costs: Costs,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The workspaces that were kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptWorkspaces {
    /// Their number.
    pub count: u64,
    /// The first of their folders, in the order of paths.
    pub first: String,
}
