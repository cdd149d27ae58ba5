//! The difference of two runs as a sentence.

use agentv_statistics::{Interval, Level, PairedDifference, is_significant};

use crate::Style;
use crate::figures::{counted, p_value as told_p_value};
use crate::text::one_line;

/// The largest number that counts as a rounding error.
const ROUNDING: f64 = 1e-12;

/// Describes a difference of scores, given the p-value of its permutation test and the names of the
/// two runs. A point is a hundredth of the score range.
///
/// A difference is only called one if it is significant by [`is_significant`]. Otherwise the
/// sentence says which difference the suite could detect.
pub(crate) fn difference_sentence(
    comparison: &PairedDifference,
    p_value: f64,
    a: &str,
    b: &str,
    style: Style,
) -> String {
    let (a, b) = (one_line(a), one_line(b));
    let interval = &comparison.difference;
    if interval
        .standard_error
        .is_some_and(|error| error < ROUNDING)
    {
        return without_spread(comparison, p_value, &a, &b, style);
    }
    if is_significant(interval, p_value) {
        difference(interval, &b, style)
    } else {
        no_difference(comparison, p_value, &a, &b, style)
    }
}

fn difference(interval: &Interval, b: &str, style: Style) -> String {
    let size = interval.estimate.abs();
    let (near, far) = if interval.estimate > 0.0 {
        (interval.low, interval.high)
    } else {
        (-interval.high, -interval.low)
    };
    let points = Points::for_all(&[size, near, far], style);
    format!(
        "{b} is {} by {} points, {} interval {} to {}",
        direction(interval.estimate),
        points.text(size),
        percent(interval.level),
        points.text(near),
        points.text(far),
    )
}

fn no_difference(
    comparison: &PairedDifference,
    p_value: f64,
    a: &str,
    b: &str,
    style: Style,
) -> String {
    let interval = &comparison.difference;
    let points = Points::for_all(&[interval.estimate, interval.low, interval.high], style);
    let told = format!(
        "no significant difference: {b} {} {a} is {} points, {} interval {} to {}",
        style.minus(),
        points.text(interval.estimate),
        percent(interval.level),
        points.text(interval.low),
        points.text(interval.high),
    );
    if interval.excludes(0.0) {
        return format!(
            "{told}, which may still be chance: {}",
            told_p_value(p_value)
        );
    }
    match comparison
        .detectable
        .map(|detectable| detectable.difference)
    {
        Some(shown) if shown < 1.0 => format!(
            "{told}; this number of cases can detect differences of about {} points or more",
            Points::for_all(&[shown], style).text(shown)
        ),
        Some(_) | None => {
            format!("{told}; there are too few cases to detect any difference")
        }
    }
}

/// Describes a difference that is the same in every case, or on average in every conversation.
fn without_spread(
    comparison: &PairedDifference,
    p_value: f64,
    a: &str,
    b: &str,
    style: Style,
) -> String {
    let interval = &comparison.difference;
    let all = match interval.clusters {
        None => groups(comparison),
        Some(_) => format!("{} on average", groups(comparison)),
    };
    let difference = interval.estimate;
    if difference.abs() < ROUNDING {
        return format!("no difference: {b} and {a} score the same in all {all}");
    }
    let points = Points::for_all(&[difference], style);
    if is_significant(interval, p_value) {
        format!(
            "{b} is {} by {} points in each of {all}",
            direction(difference),
            points.text(difference.abs())
        )
    } else {
        format!(
            "no significant difference: {b} {} {a} is {} points in each of {all}, which may be \
             chance: {}",
            style.minus(),
            points.text(difference),
            told_p_value(p_value)
        )
    }
}

/// Returns the units that count as independent: `8 conversations and 10 cases`.
pub(crate) fn groups(comparison: &PairedDifference) -> String {
    let cases = |number| counted(number, "case", "cases");
    let clusters = comparison.difference.clusters;
    let Some((clusters, named)) = clusters.zip(comparison.conversations) else {
        return cases(comparison.difference.n);
    };
    let conversations = counted(named, "conversation", "conversations");
    match clusters.saturating_sub(named) {
        0 => conversations,
        alone => format!("{conversations} and {}", cases(alone)),
    }
}

fn direction(difference: f64) -> &'static str {
    if difference > 0.0 { "better" } else { "worse" }
}

fn percent(level: Level) -> String {
    format!("{}%", (level.share() * 1e8).round() / 1e6)
}

/// Numbers with one to four decimals, as many as needed so that only 0 reads as 0.
struct Points {
    decimals: usize,
    style: Style,
}

impl Points {
    fn for_all(shares: &[f64], style: Style) -> Points {
        let told = |decimals: &usize| {
            let smallest = 0.5 / 10f64.powi(*decimals as i32);
            let mut sizes = shares.iter().map(|share| (share * 100.0).abs());
            sizes.all(|size| size == 0.0 || size >= smallest)
        };
        let decimals = (1..4).find(told).unwrap_or(4);
        Points { decimals, style }
    }

    fn text(&self, share: f64) -> String {
        let digits = format!("{:.*}", self.decimals, (share * 100.0).abs());
        let is_zero = digits.bytes().all(|digit| matches!(digit, b'0' | b'.'));
        if share < 0.0 && !is_zero {
            format!("{}{digits}", self.style.minus())
        } else {
            digits
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_statistics::{Bounds, Pair, paired_difference, permutation_test};
    use proptest::prelude::*;

    const STYLE: Style = Style {
        colour: false,
        width: 80,
        unicode: true,
    };

    fn of(differences: &[f64], style: Style) -> String {
        let pairs: Vec<Pair<'_>> = differences
            .iter()
            .map(|difference| Pair {
                a: 0.5,
                b: 0.5 + difference,
                cluster: None,
            })
            .collect();
        let found = paired_difference(&pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE).unwrap();
        difference_sentence(&found, permutation_test(&pairs).p_value, "A", "B", style)
    }

    #[test]
    fn a_difference_is_reported_with_its_interval() {
        assert_eq!(
            of(&[0.02, 0.05, 0.03, 0.04, 0.03, 0.04], STYLE),
            "B is better by 3.5 points, 95% interval 2.4 to 4.6"
        );
        assert_eq!(
            of(&[-0.02, -0.05, -0.03, -0.04, -0.03, -0.04], STYLE),
            "B is worse by 3.5 points, 95% interval 2.4 to 4.6"
        );
    }

    #[test]
    fn an_interval_that_the_test_does_not_confirm_is_not_a_difference() {
        assert_eq!(
            of(&[-0.02, -0.05, -0.03, -0.04], STYLE),
            "no significant difference: B − A is −3.5 points, 95% interval −5.6 to −1.4, which may \
             still be chance: p = 0.12"
        );
    }

    #[test]
    fn no_difference_says_what_would_have_been_seen() {
        let differences = [-0.05, 0.04, -0.02, 0.03, 0.02, 0.0];
        assert_eq!(
            of(&differences, STYLE),
            "no significant difference: B − A is 0.3 points, 95% interval −3.2 to 3.9; this \
             number of cases can detect differences of about 4.8 points or more"
        );
        let ascii = Style {
            unicode: false,
            ..STYLE
        };
        assert!(of(&differences, ascii).contains("B - A is 0.3 points, 95% interval -3.2 to 3.9"));
        assert!(
            of(&[-0.5, 0.5], STYLE).ends_with("there are too few cases to detect any difference")
        );
        assert!(
            of(&[-0.01, 0.01, 0.02, -0.02, 0.0], STYLE)
                .ends_with("there are too few cases to detect any difference")
        );
    }

    #[test]
    fn equal_differences_are_reported_per_case() {
        assert_eq!(
            of(&[0.0, 0.0, 0.0], STYLE),
            "no difference: B and A score the same in all 3 cases"
        );
        assert_eq!(
            of(&[0.25, 0.25], STYLE),
            "no significant difference: B − A is 25.0 points in each of 2 cases, which may be \
             chance: p = 0.50"
        );
        assert_eq!(
            of(&[-0.25; 6], STYLE),
            "B is worse by 25.0 points in each of 6 cases"
        );
    }

    #[test]
    fn conversations_that_are_equal_need_no_equal_cases() {
        let pair = |b, cluster| Pair {
            a: 0.5,
            b,
            cluster: Some(cluster),
        };
        let pairs = [
            pair(0.25, "first"),
            pair(0.75, "first"),
            pair(0.0, "second"),
            pair(1.0, "second"),
        ];
        let found = paired_difference(&pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE);
        assert_eq!(
            difference_sentence(&found.unwrap(), 1.0, "A", "B", STYLE),
            "no difference: B and A score the same in all 2 conversations on average"
        );
    }

    #[test]
    fn rounding_errors_are_not_spread() {
        assert_eq!(
            of(&[0.1, 0.1 + 1e-16, 0.1 - 1e-16, 0.1, 0.1, 0.1], STYLE),
            "B is better by 10.0 points in each of 6 cases"
        );
    }

    #[test]
    fn an_end_near_zero_is_not_written_as_zero() {
        let differences: Vec<f64> = (0..400)
            .map(|case| 1e-4 + if case % 2 == 0 { 9.5e-4 } else { -9.5e-4 })
            .collect();
        assert_eq!(
            of(&differences, STYLE),
            "B is better by 0.010 points, 95% interval 0.001 to 0.019"
        );
    }

    #[test]
    fn a_name_cannot_move_the_cursor() {
        let pair = |b| Pair {
            a: 0.5,
            b,
            cluster: None,
        };
        let found = paired_difference(
            &[pair(0.5), pair(0.5)],
            Level::NINETY_FIVE,
            Bounds::DIFFERENCE,
        );
        let told = difference_sentence(&found.unwrap(), 1.0, "a\x1b[2J\n", "b\r", STYLE);
        assert!(told.chars().all(|letter| !letter.is_control()), "{told:?}");
    }

    fn any_pairs() -> impl Strategy<Value = Vec<Pair<'static>>> {
        let score = || prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64];
        let cluster = prop::option::of(prop::sample::select(vec!["a", "b", "c"]));
        let pair = (score(), score(), cluster);
        let pair = pair.prop_map(|(a, b, cluster)| Pair { a, b, cluster });
        prop::collection::vec(pair, 0..28)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_sentence_says_better_only_where_that_is_significant(pairs in any_pairs()) {
            let style = Style { unicode: false, ..STYLE };
            let Ok(found) = paired_difference(&pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE) else {
                return Ok(());
            };
            let p_value = permutation_test(&pairs).p_value;
            let told = difference_sentence(&found, p_value, "A", "B", style);
            let significant = is_significant(&found.difference, p_value);
            prop_assert!(told.is_ascii() && !told.contains("NaN") && !told.contains("inf"), "{told}");
            prop_assert_eq!(told.starts_with("B is better"), significant && found.mean_b > found.mean_a, "{}", told);
            prop_assert_eq!(told.starts_with("B is worse"), significant && found.mean_b < found.mean_a, "{}", told);
        }
    }
}
