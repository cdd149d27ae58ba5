//! A pass rate with its interval.

use crate::distributions::normal_upper;
use crate::{Interval, IntervalMethod, Level};

/// Returns the share of `passed` in `n` with Wilson's score interval: with p = passed / n, (p +
/// z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n). Returns `None` if `n` is 0 or less than `passed`.
///
/// It works for any n and any share, including 0 and 1. It does not apply if trials are not
/// independent, such as several of one case or of one conversation; [`PassFold`] does.
///
/// [`PassFold`]: crate::PassFold
pub fn pass_rate(passed: u64, n: u64, level: Level) -> Option<Interval> {
    if n == 0 || passed > n {
        return None;
    }
    let share = passed as f64 / n as f64;
    let (low, high) = wilson_bounds(share, n as f64, normal_upper(level.tail()));
    Some(Interval {
        estimate: share,
        low,
        high,
        level,
        n,
        clusters: None,
        effective_n: None,
        standard_error: None,
        method: IntervalMethod::Wilson,
    })
}

/// Returns the bounds of Wilson's interval of a share of `n` trials, which need not be whole.
pub(crate) fn wilson_bounds(share: f64, n: f64, z: f64) -> (f64, f64) {
    let scale = 1.0 + z * z / n;
    let centre = (share + z * z / (2.0 * n)) / scale;
    let variance = share * (1.0 - share) / n + z * z / (4.0 * n * n);
    let reach = z * variance.sqrt() / scale;
    (
        (centre - reach).clamp(0.0, share),
        (centre + reach).clamp(share, 1.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_rate() {
        assert_eq!(pass_rate(0, 0, Level::NINETY_FIVE), None);
        assert_eq!(pass_rate(2, 1, Level::NINETY_FIVE), None);
    }

    #[test]
    fn a_rate_is_written_with_the_names_of_its_parts() {
        let rate = pass_rate(8, 10, Level::NINETY_FIVE).unwrap();
        let written = serde_json::to_value(rate).unwrap();
        let names: Vec<&String> = written.as_object().unwrap().keys().collect();
        assert_eq!(names, ["estimate", "low", "high", "level", "n", "method"]);
        assert_eq!(
            (&written["level"], &written["method"]),
            (&0.95.into(), &"wilson".into())
        );
    }
}
