//! Checklist items that a judge goes through.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::evaluator::one;

/// One item of a checklist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rubric {
    /// Unique within the checklist; `rubric-1`, … where the user gave none.
    pub id: String,
    /// What the answer must achieve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// Its share in the checklist's score.
    #[serde(default = "one")]
    pub weight: f64,
    /// Whether missing it fails the checklist.
    #[serde(default)]
    pub required: bool,
    /// The points, of 10, under which the checklist fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_min_score: Option<u8>,
    /// What each range of points means; without any, the item is met or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub score_ranges: Vec<ScoreRange>,
    /// Whatever else the user wrote in the item.
    #[serde(flatten)]
    pub extra: Extra,
}

/// What an answer with so many points, of 10, achieves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreRange {
    /// Lowest and highest points, both included.
    pub score_range: [u8; 2],
    /// What such an answer achieves.
    pub expected_outcome: String,
    /// Whatever else the user wrote in the range.
    #[serde(flatten)]
    pub extra: Extra,
}
