//! A run on one line.

use agentv_core::{PassThreshold, Stop};
use serde::Serialize;

use crate::summary::{Costs, Statuses};

/// A run on one line: its task and its results. A run with several targets has a line for each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunLine {
    /// The id of the run.
    pub id: String,
    /// The start time, in RFC 3339 and UTC.
    pub started_at: String,
    /// The end time, if it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The state of the run.
    pub state: RunState,
    /// The reason why it ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The eval files.
    pub files: Vec<String>,
    /// The target, or all targets if the run has no results yet.
    pub targets: Vec<String>,
    /// The number of trials that ended.
    pub trials: u64,
    /// The number of planned trials.
    pub planned: u64,
    /// The number of cases that were skipped because they have errors.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped: u64,
    /// The number of results that are out of date.
    #[serde(skip_serializing_if = "is_zero")]
    pub outdated: u64,
    /// The number of trials by status.
    pub statuses: Statuses,
    /// The share of the graded trials that passed; `None` if nothing was graded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// Its 95% interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate_interval: Option<[f64; 2]>,
    /// The mean of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<f64>,
    /// Its 95% interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_score_interval: Option<[f64; 2]>,
    /// The lowest scores that pass, if any case has another one than the default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pass_thresholds: Vec<PassThreshold>,
    /// The costs of the answers and of the judges.
    #[serde(flatten)]
    pub costs: Costs,
    /// True if mocks replaced the targets.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The share of the cases that it ran, such as `1/4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The run whose failed and errored trials were repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    /// The run whose answers were graded again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graded_from: Option<String>,
    /// The file of labelled answers that judges were compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated_with: Option<String>,
    /// The runs that were merged.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
    /// The shards that were missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_shards: Vec<String>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// All of its trials have ended.
    Finished,
    /// A process is writing its results now.
    Running,
    /// It ended early and recorded the reason.
    Stopped,
    /// It ended early without recording a reason, because it was killed.
    Unfinished,
}
