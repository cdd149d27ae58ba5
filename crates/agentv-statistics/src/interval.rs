//! An estimate with its confidence interval.

use serde::Serialize;
use thiserror::Error;

use crate::Level;

/// An estimate with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The estimate, which lies within the interval.
    pub estimate: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The confidence level of the interval.
    pub level: Level,
    /// The number of values behind the estimate.
    pub n: u64,
    /// The number of groups of values, if values are grouped. The values of one group are not
    /// independent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<u64>,
    /// The number of independent values that say as much as these, if values are grouped and the
    /// method uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_n: Option<f64>,
    /// The standard error of the estimate, if it is a mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard_error: Option<f64>,
    /// The method that the interval was computed with.
    pub method: IntervalMethod,
}

impl Interval {
    /// Returns false if all values are equal: then nothing is known about how much others differ from them,
    /// and the ends must not be shown.
    pub fn has_width(&self) -> bool {
        /// The largest width that is a rounding error.
        const ROUNDING: f64 = 1e-12;
        self.high - self.low > ROUNDING
    }

    /// Checks if `value` lies outside the interval.
    pub fn excludes(&self, value: f64) -> bool {
        value < self.low || value > self.high
    }
}

/// The method that an interval was computed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Wilson's score interval of a share.
    Wilson,
    /// Wilson's score interval of a share, with the effective number of trials in groups.
    WilsonClustered,
    /// Student's t for the mean of independent values.
    T,
    /// Student's t for the mean of values in groups, with the cluster-robust standard error.
    TClustered,
    /// Wilson's score interval of the agreement, with the standard error of kappa, and the expected
    /// agreement as it is.
    KappaWilson,
}

/// The bounds of values; no interval of their mean reaches beyond.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The lowest possible value.
    pub low: f64,
    /// The highest possible value.
    pub high: f64,
}

impl Bounds {
    /// The bounds of scores: 0 to 1.
    pub const SCORE: Bounds = Bounds {
        low: 0.0,
        high: 1.0,
    };
    /// The bounds of differences of scores: −1 to 1.
    pub const DIFFERENCE: Bounds = Bounds {
        low: -1.0,
        high: 1.0,
    };
}

/// The reason why an estimate has no interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Error)]
#[serde(rename_all = "snake_case")]
pub enum TooFew {
    /// There are no values.
    #[error("there are no scores")]
    NoValues,
    /// There is only one value, so nothing is known about how values differ.
    #[error("an interval needs at least two cases")]
    OneValue,
    /// All values belong to one group, so nothing is known about how groups differ.
    #[error("an interval needs cases with at least two values of `conversation_id`")]
    OneCluster,
    /// All values are equal, so nothing is known about how much others differ from them.
    #[error("all cases differ by the same amount, so no interval can be computed")]
    NoVariation,
}
