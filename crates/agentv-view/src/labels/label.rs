//! One label, and the request to write it.

use agentv_core::Verdict;
use serde::{Deserialize, Serialize};

/// The grade that a person gave to an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// The id of the answer.
    pub id: String,
    /// The verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_verdict: Option<Verdict>,
    /// The score, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_score: Option<f64>,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_note: Option<String>,
    /// The origin of the label.
    pub labelled: Source,
}

/// The origin of a label.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// The person.
    pub by: String,
    /// The time.
    pub at: String,
    /// True if the person did not see the verdicts of the evaluators.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub blind: bool,
    /// The run in which the person saw the answer.
    pub run: String,
    /// The eval file.
    pub eval_file: String,
    /// The id of the case.
    pub eval_id: String,
    /// The target.
    pub target: String,
    /// The number of the trial.
    pub trial: u32,
}

/// A request to write a label, or to remove it if it has neither a verdict nor a score.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Labelling {
    /// The run.
    pub run: String,
    /// The number of the trial in the index.
    pub item: u32,
    /// The id of the answer that the person saw.
    pub id: String,
    /// The verdict.
    pub verdict: Option<Verdict>,
    /// The score.
    pub score: Option<f64>,
    /// A remark.
    pub note: Option<String>,
    /// True if the person did not see the verdicts of the evaluators.
    #[serde(default)]
    pub blind: bool,
    /// The time of the label that the person saw, if there was one.
    pub seen: Option<String>,
}

impl Labelling {
    /// Checks if the label is to be removed.
    pub fn is_removal(&self) -> bool {
        self.verdict.is_none() && self.score.is_none()
    }
}
