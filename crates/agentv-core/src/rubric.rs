//! Items of a checklist for judges.

use serde::{Deserialize, Serialize};

use crate::Extra;
use crate::evaluator::one;

/// One item of a checklist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rubric {
    /// The id, unique within the checklist (default: `rubric-1`, …).
    pub id: String,
    /// A description of what the answer must achieve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_outcome: Option<String>,
    /// The weight in the checklist's score.
    #[serde(default = "one")]
    pub weight: f64,
    /// True if the checklist fails when this item is missed.
    #[serde(default)]
    pub required: bool,
    /// The checklist fails below this number of points, of 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_min_score: Option<u8>,
    /// The meaning of each range of points. Without any, the item is either met or not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub score_ranges: Vec<ScoreRange>,
    /// All other fields of the item.
    #[serde(flatten)]
    pub extra: Extra,
}

/// The meaning of a range of points, of 10.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreRange {
    /// Lowest and highest points, both included.
    pub score_range: [u8; 2],
    /// A description of what such an answer achieves.
    pub expected_outcome: String,
    /// All other fields of the range.
    #[serde(flatten)]
    pub extra: Extra,
}
