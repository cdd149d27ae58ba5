//! The test of whether a difference is more than chance.

use crate::Interval;

/// The p-value below which a difference is significant.
const SIGNIFICANT: f64 = 0.05;
/// The largest number that counts as a rounding error.
const ROUNDING: f64 = 1e-9;

/// Checks if a difference is more than chance: its interval excludes 0, and the p-value of the
/// permutation test, corrected if it is one of several, is below 0.05. The interval alone is too
/// narrow for few cases, and the test alone says nothing about the size of the difference.
pub fn is_significant(difference: &Interval, p_value: f64) -> bool {
    let is_above = difference.low > ROUNDING && p_value < SIGNIFICANT;
    is_above || is_significantly_below(difference, p_value, 0.0)
}

/// Checks if a difference is below `limit`, which is 0 or less, by more than chance: the whole
/// interval is below it, and the difference is significant by [`is_significant`].
pub fn is_significantly_below(difference: &Interval, p_value: f64, limit: f64) -> bool {
    difference.high < limit - ROUNDING && p_value < SIGNIFICANT
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IntervalMethod, Level};

    fn interval(low: f64, high: f64) -> Interval {
        Interval {
            estimate: (low + high) / 2.0,
            low,
            high,
            level: Level::NINETY_FIVE,
            n: 10,
            clusters: None,
            effective_n: None,
            standard_error: None,
            method: IntervalMethod::T,
        }
    }

    #[test]
    fn it_takes_both_the_interval_and_the_test() {
        assert!(is_significant(&interval(0.1, 0.3), 0.01));
        assert!(is_significant(&interval(-0.3, -0.1), 0.049));
        assert!(!is_significant(&interval(0.1, 0.3), 0.05));
        assert!(!is_significant(&interval(-0.1, 0.3), 0.01));
        assert!(!is_significant(&interval(0.0, 0.0), 0.01));
    }

    #[test]
    fn the_whole_interval_has_to_lie_below_a_limit() {
        let found = interval(-0.102, -0.051);
        assert!(is_significantly_below(&found, 0.01, -0.05));
        assert!(!is_significantly_below(&found, 0.01, -0.07));
        assert!(!is_significantly_below(&found, 0.25, -0.05));
        let as_much = interval(0.4 - 0.9, 0.4 - 0.9);
        assert!(!is_significantly_below(&as_much, 0.01, -0.5));
    }
}
