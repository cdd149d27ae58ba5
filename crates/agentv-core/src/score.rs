//! How good an answer is: a score, and what it is called.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number from 0 to 1, both included. There is no other: no NaN, no infinity.
///
/// ```
/// use agentv_core::{Score, Verdict};
///
/// assert_eq!(Score::new(1.2), None);
/// assert_eq!(Score::clamped(1.2), Some(Score::ONE));
/// assert_eq!(Score::new(0.8).map(Score::verdict), Some(Verdict::Pass));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// Nothing was met.
    pub const ZERO: Score = Score(0.0);
    /// Everything was met.
    pub const ONE: Score = Score(1.0);

    /// The score of this value; `None` outside 0 to 1.
    pub fn new(value: f64) -> Option<Score> {
        (0.0..=1.0).contains(&value).then_some(Score(value))
    }

    /// The nearest score to a value; `None` of NaN.
    pub fn clamped(value: f64) -> Option<Score> {
        (!value.is_nan()).then(|| Score(value.clamp(0.0, 1.0)))
    }

    /// 1 when something holds, else 0.
    pub fn of(holds: bool) -> Score {
        if holds { Score::ONE } else { Score::ZERO }
    }

    /// The share of `part` in `whole`; 0 where there is no whole.
    pub fn ratio(part: f64, whole: f64) -> Score {
        Score::clamped(part / whole).unwrap_or(Score::ZERO)
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// What the score is called.
    pub fn verdict(self) -> Verdict {
        match self.0 {
            value if value >= Verdict::PASS_FROM => Verdict::Pass,
            value if value >= Verdict::BORDERLINE_FROM => Verdict::Borderline,
            _ => Verdict::Fail,
        }
    }

    /// The weighted mean Σw·s/Σw; 0 where the weights sum to nothing.
    pub fn weighted_mean(parts: impl IntoIterator<Item = (Score, f64)>) -> Score {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (score, weight) in parts {
            sum += score.0 * weight;
            weights += weight;
        }
        Score::ratio(sum, weights)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        Score::new(value).ok_or_else(|| D::Error::custom(format!("{value} is not from 0 to 1")))
    }
}

/// What a score is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Below 0.6.
    Fail,
    /// From 0.6, below 0.8.
    Borderline,
    /// From 0.8.
    Pass,
}

impl Verdict {
    /// The score from which an answer passes.
    pub const PASS_FROM: f64 = 0.8;
    /// The score from which an answer is borderline.
    pub const BORDERLINE_FROM: f64 = 0.6;
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer is good.
    Pass,
    /// The answer is nearly good.
    Borderline,
    /// The answer is not good.
    Fail,
    /// The target or an evaluator could not do its work: nothing is known of the answer.
    Error,
    /// There is nothing to grade by.
    Ungraded,
}

impl Status {
    /// Every status, in the order of tables.
    pub const ALL: [Status; 5] = [
        Status::Pass,
        Status::Borderline,
        Status::Fail,
        Status::Error,
        Status::Ungraded,
    ];

    /// The status as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Pass => "pass",
            Status::Borderline => "borderline",
            Status::Fail => "fail",
            Status::Error => "error",
            Status::Ungraded => "ungraded",
        }
    }
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Status {
        match verdict {
            Verdict::Pass => Status::Pass,
            Verdict::Borderline => Status::Borderline,
            Verdict::Fail => Status::Fail,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_score_cannot_be_one() {
        for value in [f64::NAN, f64::INFINITY, -0.1, 1.000_001] {
            assert_eq!(Score::new(value), None, "{value}");
        }
        assert!(serde_json::from_str::<Score>("1.5").is_err());
    }

    #[test]
    fn a_mean_of_nothing_is_zero() {
        assert_eq!(Score::weighted_mean([]), Score::ZERO);
        assert_eq!(Score::weighted_mean([(Score::ONE, 0.0)]), Score::ZERO);
        let mixed = [(Score::ONE, 1.0), (Score::ZERO, 3.0)];
        assert_eq!(Score::weighted_mean(mixed).value(), 0.25);
    }
}
