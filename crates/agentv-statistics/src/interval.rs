//! An estimate and how far from the truth it may be.

use serde::Serialize;
use thiserror::Error;

use crate::Level;

/// An estimate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate itself; it lies within the interval.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How sure the interval is meant to be.
    pub level: Level,
    /// How many values the estimate is made of.
    pub n: u64,
    /// How many groups of values the estimate is made of, where values are grouped: the values of
    /// one group are not independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// How far the estimate strays by chance, of a mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// How the interval was made.
    pub method: IntervalMethod,
}

impl Interval {
    /// Whether the interval leaves `value` out.
    pub fn excludes(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }
}

/// How an interval was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// The score interval of Wilson for a share.
    Wilson,
    /// Student's t for the mean of independent values.
    T,
    /// Student's t for the mean of values in groups, with the cluster-robust standard error.
    TClustered,
}

/// Between which ends values lie: no interval of their mean reaches beyond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The lowest value there is.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl Bounds {
    /// Scores lie from 0 to 1.
    pub const SCORE: Bounds = Bounds {
        low: 0.0,
        high: 1.0,
    };
    /// Differences of scores lie from −1 to 1.
    pub const DIFFERENCE: Bounds = Bounds {
        low: -1.0,
        high: 1.0,
    };
    /// No bounds are known, as of costs and times.
    pub const NONE: Bounds = Bounds {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
    };
}

/// Why nothing can be said about how far an estimate is from the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum TooFew {
    /// There are no values.
    #[error("there are no scores")]
    NoValues,
    /// There is one value: nothing is known of how values differ.
    #[error("one case alone tells no interval: at least two are needed")]
    OneValue,
    /// All values are of one group: nothing is known of how groups differ.
    #[error("cases of one `conversation_id` alone tell no interval: at least two are needed")]
    OneCluster,
}
