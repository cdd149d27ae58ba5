//! A run on one line.

use agentv_core::Stop;
use serde::Serialize;

use crate::summary::Statuses;

/// A run in a line: what it was asked to do and what it came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunLine {
    /// The id of the run.
    pub id: String,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Whether it is done.
    pub state: RunState,
    /// Why it ended early, where it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stop>,
    /// The eval files.
    pub files: Vec<String>,
    /// The targets that were asked.
    pub targets: Vec<String>,
    /// How many trials ended.
    pub trials: u64,
    /// How many trials there were to be.
    pub planned: u64,
    /// How the trials ended.
    pub statuses: Statuses,
    /// The share of the graded trials that passed; none where nothing was graded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The mean of the scores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<f64>,
    /// What it cost in US dollars, where some is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Whether mocks stood in for the targets.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// The share of the cases that it ran, such as `1/4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// The run whose failed and errored trials were run again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<String>,
    /// The run whose answers were graded again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graded_from: Option<String>,
    /// The file of labelled answers that judges were held against.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated_with: Option<String>,
    /// The runs that were joined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub merged_from: Vec<String>,
}

/// Whether a run is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// All of its trials ended.
    Finished,
    /// A process writes its results now.
    Running,
    /// It ended before all was done, and says why.
    Stopped,
    /// It ended before all was done, and could not say why: it was killed.
    Unfinished,
}
