//! Scores and verdicts.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number from 0 to 1, both included. NaN and infinity are impossible.
///
/// ```
/// use agentv_core::{PassThreshold, Score, Verdict};
///
/// assert_eq!(Score::new(1.2), None);
/// assert_eq!(Score::clamped(1.2), Some(Score::ONE));
/// assert_eq!(Score::ONE.verdict(PassThreshold::default()), Verdict::Pass);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// Nothing was met.
    pub const ZERO: Score = Score(0.0);
    /// Everything was met.
    pub const ONE: Score = Score(1.0);

    /// Returns the score of this value; `None` outside 0 to 1.
    pub fn new(value: f64) -> Option<Score> {
        // There is only one zero: -0 becomes 0.
        (0.0..=1.0).contains(&value).then_some(Score(value + 0.0))
    }

    /// Returns the nearest score to a value; `None` for NaN.
    pub fn clamped(value: f64) -> Option<Score> {
        (!value.is_nan()).then(|| Score(value.clamp(0.0, 1.0) + 0.0))
    }

    /// Returns 1 for true and 0 for false.
    pub fn of(holds: bool) -> Score {
        if holds { Score::ONE } else { Score::ZERO }
    }

    /// Returns `part` divided by `whole`; 0 if `whole` is 0.
    pub fn ratio(part: f64, whole: f64) -> Score {
        Score::clamped(part / whole).unwrap_or(Score::ZERO)
    }

    /// Returns the number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Returns the verdict. A mean that rounding left slightly below a threshold has reached it.
    pub fn verdict(self, threshold: PassThreshold) -> Verdict {
        const ROUNDING: f64 = 1e-12;
        match self.0 + ROUNDING {
            value if value >= threshold.value() => Verdict::Pass,
            value if value >= Verdict::BORDERLINE_FROM => Verdict::Borderline,
            _ => Verdict::Fail,
        }
    }

    /// Returns the score in decimals. Rounding never lifts it to a better verdict: at a threshold of
    /// 0.8, a score of 0.7999 is `0.79` and not `0.80`.
    pub fn rounded(self, decimals: i32, threshold: PassThreshold) -> String {
        let places = usize::try_from(decimals).unwrap_or_default();
        let rounded = format!("{:.places$}", self.0);
        let read = rounded.parse().ok().and_then(Score::new);
        let is_lifted = read.is_some_and(|read| read.verdict(threshold) > self.verdict(threshold));
        if is_lifted {
            let scale = 10_f64.powi(decimals);
            format!("{:.places$}", (self.0 * scale).floor() / scale)
        } else {
            rounded
        }
    }

    /// Returns the weighted mean Σw·s/Σw, never outside the range of its scores; 0 if all weights
    /// are 0. Weights are finite and not negative.
    pub fn weighted_mean(parts: impl IntoIterator<Item = (Score, f64)>) -> Score {
        let parts = parts.into_iter().filter(|(_, weight)| *weight > 0.0);
        let parts: Vec<(Score, f64)> = parts.collect();
        // Weights near the limits of a number would add up to infinity, or round to zero.
        let greatest = parts.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
        let scale = match greatest {
            great if great > 1e200 => 2.0_f64.powi(-600),
            small if small < 1e-200 => 2.0_f64.powi(600),
            _ => 1.0,
        };
        let (mut sum, mut weights) = (0.0, 0.0);
        let (mut lowest, mut highest) = (1.0_f64, 0.0_f64);
        for (score, weight) in parts {
            sum += score.0 * (weight * scale);
            weights += weight * scale;
            lowest = lowest.min(score.0);
            highest = highest.max(score.0);
        }
        if weights > 0.0 {
            Score((sum / weights).clamp(lowest, highest))
        } else {
            Score::ZERO
        }
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

/// The lowest score that passes, from 0 to 1.
///
/// ```
/// use agentv_core::{PassThreshold, Score, Verdict};
///
/// let half = PassThreshold::new(0.5).unwrap();
/// assert_eq!(Score::new(0.55).unwrap().verdict(half), Verdict::Pass);
/// assert_eq!(PassThreshold::default().value(), 0.8);
/// assert_eq!(PassThreshold::new(1.2), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PassThreshold(Score);

impl PassThreshold {
    /// Returns the threshold of this value; `None` outside 0 to 1.
    pub fn new(value: f64) -> Option<PassThreshold> {
        Score::new(value).map(PassThreshold)
    }

    /// Returns the number.
    pub fn value(self) -> f64 {
        self.0.value()
    }
}

impl Default for PassThreshold {
    fn default() -> PassThreshold {
        PassThreshold(Score(0.8))
    }
}

impl fmt::Display for PassThreshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The verdict of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Below 0.6 and below the threshold.
    Fail,
    /// From 0.6, below the threshold.
    Borderline,
    /// From the threshold.
    Pass,
}

impl Verdict {
    /// The least score that is borderline.
    pub const BORDERLINE_FROM: f64 = 0.6;

    /// Returns the verdict as written.
    pub fn as_str(self) -> &'static str {
        Status::from(self).as_str()
    }
}

/// The status of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer is good.
    Pass,
    /// The answer is nearly good.
    Borderline,
    /// The answer is not good.
    Fail,
    /// The target or an evaluator could not do its work: the answer was not judged.
    Error,
    /// There is nothing to grade by.
    Ungraded,
}

impl Status {
    /// All statuses, in the order of tables.
    pub const ALL: [Status; 5] = [
        Status::Pass,
        Status::Borderline,
        Status::Fail,
        Status::Error,
        Status::Ungraded,
    ];

    /// Returns the status as written.
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_invalid_score_cannot_be_created() {
        for value in [f64::NAN, f64::INFINITY, -0.1, 1.000_001] {
            assert_eq!(Score::new(value), None, "{value}");
        }
        assert!(serde_json::from_str::<Score>("1.5").is_err());
    }

    #[test]
    fn there_is_one_zero() {
        for zero in [Score::new(-0.0), Score::clamped(-0.0)] {
            assert_eq!(serde_json::to_string(&zero).unwrap(), "0.0");
        }
    }

    #[test]
    fn a_score_passes_from_eight_tenths_and_is_borderline_from_six() {
        for (value, verdict) in [
            (1.0, Verdict::Pass),
            (0.8, Verdict::Pass),
            (0.799_999, Verdict::Borderline),
            (0.6, Verdict::Borderline),
            (0.599_999, Verdict::Fail),
            (0.0, Verdict::Fail),
        ] {
            let found = Score(value).verdict(PassThreshold::default());
            assert_eq!(found, verdict, "{value}");
        }
    }

    #[test]
    fn a_score_just_below_a_threshold_does_not_read_as_reaching_it() {
        let usual = PassThreshold::default();
        for (value, decimals, shown) in [
            (0.799_999_9, 2, "0.79"),
            (0.799_999_9, 6, "0.799999"),
            (0.799_999_999_999_999_9, 2, "0.80"),
            (0.8, 2, "0.80"),
            (0.805, 1, "0.8"),
            (0.599, 2, "0.59"),
            (0.6, 2, "0.60"),
            (0.666_6, 2, "0.67"),
            (0.999, 2, "1.00"),
            (0.0, 2, "0.00"),
        ] {
            assert_eq!(Score(value).rounded(decimals, usual), shown, "{value}");
        }
        let all = PassThreshold::new(1.0).unwrap();
        assert_eq!(Score(0.999).rounded(2, all), "0.99");
        assert_eq!(
            Score(0.795).rounded(1, PassThreshold::new(0.5).unwrap()),
            "0.8"
        );
    }

    #[test]
    fn a_threshold_at_or_below_six_tenths_leaves_nothing_borderline() {
        for threshold in [0.0, 0.3, 0.6].map(|value| PassThreshold::new(value).unwrap()) {
            for value in [0.0, 0.29, 0.3, 0.599, 0.6, 0.79, 0.8, 1.0] {
                let verdict = if value >= threshold.value() {
                    Verdict::Pass
                } else {
                    Verdict::Fail
                };
                assert_eq!(
                    Score(value).verdict(threshold),
                    verdict,
                    "{value} at {threshold}"
                );
            }
        }
        let all = PassThreshold::new(1.0).unwrap();
        assert_eq!(Score(0.999).verdict(all), Verdict::Borderline);
        assert_eq!(Score::ONE.verdict(all), Verdict::Pass);
    }

    #[test]
    fn a_mean_of_eight_tenths_passes_however_it_is_rounded() {
        let parts = [(Score(0.7), 1.0), (Score(0.85), 2.0)];
        let mean = Score::weighted_mean(parts);
        assert!(mean.value() < 0.8, "no longer a case of rounding");
        assert_eq!(mean.verdict(PassThreshold::default()), Verdict::Pass);
    }

    #[test]
    fn the_greatest_and_the_smallest_weights_have_a_mean() {
        for weight in [f64::MAX, f64::MIN_POSITIVE, 5e-324] {
            let parts = [(Score(0.5), weight), (Score::ONE, weight)];
            assert_eq!(Score::weighted_mean(parts).value(), 0.75, "{weight}");
        }
    }

    #[test]
    fn a_mean_of_nothing_is_zero() {
        assert_eq!(Score::weighted_mean([]), Score::ZERO);
        assert_eq!(Score::weighted_mean([(Score::ONE, 0.0)]), Score::ZERO);
        let mixed = [(Score::ONE, 1.0), (Score::ZERO, 3.0)];
        assert_eq!(Score::weighted_mean(mixed).value(), 0.25);
    }

    /// Scores and weights, from zero to the largest numbers.
    fn parts() -> impl Strategy<Value = Vec<(Score, f64)>> {
        let weight = prop_oneof![Just(0.0), 0.0..10.0, 0.0..f64::MAX, Just(5e-324)];
        prop::collection::vec(((0.0..=1.0).prop_map(Score), weight), 0..9)
    }

    proptest! {
        #[test]
        fn a_mean_lies_between_the_scores_that_weigh_something(parts in parts()) {
            let mean = Score::weighted_mean(parts.clone()).value();
            let weighty = || parts.iter().filter(|(_, weight)| *weight > 0.0);
            let scores = || weighty().map(|(score, _)| score.0);
            if weighty().next().is_none() {
                prop_assert_eq!(mean, 0.0);
            } else {
                prop_assert!(scores().fold(1.0, f64::min) <= mean);
                prop_assert!(mean <= scores().fold(0.0, f64::max));
            }
        }

        #[test]
        fn a_weight_of_zero_does_not_change_a_mean(
            parts in parts(), value in 0.0..=1.0, place in any::<prop::sample::Index>(),
        ) {
            let mut more = parts.clone();
            more.insert(place.index(parts.len() + 1), (Score(value), 0.0));
            prop_assert_eq!(Score::weighted_mean(more), Score::weighted_mean(parts));
        }

        #[test]
        fn the_order_does_not_change_a_mean(
            (parts, shuffled) in parts().prop_flat_map(|parts| (Just(parts.clone()), Just(parts).prop_shuffle())),
        ) {
            let (one, other) = (Score::weighted_mean(parts), Score::weighted_mean(shuffled));
            prop_assert!((one.0 - other.0).abs() < 1e-12, "{one} {other}");
        }
    }
}
