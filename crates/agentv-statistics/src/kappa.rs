//! Cohen's kappa: the agreement of two raters of the same items, with its interval.

use crate::distributions::normal_upper;
use crate::wilson::wilson_bounds;
use crate::{Interval, IntervalMethod, Level};

/// Returns Cohen's kappa: how much more often two raters agree than by chance, at most 1.
///
/// `confusion[i][j]` counts the items to which the first rater gave the category `i` and the second
/// the category `j`. Returns `None` if chance alone would never disagree, because both raters always
/// give the same single category.
pub fn kappa<const N: usize>(confusion: &[[u64; N]; N]) -> Option<f64> {
    Agreement::of(confusion, same).map(|agreement| agreement.kappa())
}

/// Returns Cohen's kappa of ordered categories, with linear weights: a disagreement by two
/// categories counts twice as much as by one.
pub fn weighted_kappa<const N: usize>(confusion: &[[u64; N]; N]) -> Option<f64> {
    Agreement::of(confusion, near::<N>).map(|agreement| agreement.kappa())
}

/// Returns [`kappa`] with its interval.
///
/// With the observed agreement o and the agreement by chance c, kappa is (o − c)/(1 − c). The
/// standard error is that of Fleiss, Cohen and Everitt (1969). The interval is Wilson's interval of
/// o, for as many items as have this standard error, but no more than there are; each bound is
/// turned into a kappa with c as it is. In contrast to kappa ± z·SE, it stays within −1 to 1, and
/// full agreement on a few items is not certainty. Items must be independent.
pub fn kappa_interval<const N: usize>(confusion: &[[u64; N]; N], level: Level) -> Option<Interval> {
    Some(Agreement::of(confusion, same)?.interval(level))
}

/// Returns [`weighted_kappa`] with its interval, as [`kappa_interval`] does.
pub fn weighted_kappa_interval<const N: usize>(
    confusion: &[[u64; N]; N],
    level: Level,
) -> Option<Interval> {
    Some(Agreement::of(confusion, near::<N>)?.interval(level))
}

/// Returns 1 for the same category, and 0 otherwise.
fn same(one: usize, other: usize) -> f64 {
    f64::from(u8::from(one == other))
}

/// Returns 1 for the same category, 0 for the most distant ones, and linear weights in between.
fn near<const N: usize>(one: usize, other: usize) -> f64 {
    1.0 - one.abs_diff(other) as f64 / (N - 1) as f64
}

/// The agreement of two raters, from 0 to 1.
struct Agreement {
    items: u64,
    observed: f64,
    by_chance: f64,
    /// The variance of kappa.
    variance: f64,
}

impl Agreement {
    /// Computes the agreement with a weight of each pair of categories, or `None` if kappa is not
    /// defined.
    fn of<const N: usize>(
        confusion: &[[u64; N]; N],
        weight: impl Fn(usize, usize) -> f64,
    ) -> Option<Agreement> {
        let items: u64 = confusion.iter().flatten().sum();
        let total = items as f64;
        let share = confusion.map(|row| row.map(|count| count as f64 / total));
        let rows = share.map(|row| row.iter().sum::<f64>());
        let columns: [f64; N] =
            std::array::from_fn(|column| share.iter().map(|row| row[column]).sum());
        let (mut disagreed, mut disagreed_by_chance) = (0.0, 0.0);
        for (row, column) in cells::<N>() {
            let distance = 1.0 - weight(row, column);
            disagreed += distance * share[row][column];
            disagreed_by_chance += distance * rows[row] * columns[column];
        }
        if items == 0 || disagreed_by_chance <= 0.0 {
            return None;
        }
        let [observed, by_chance] = [1.0 - disagreed, 1.0 - disagreed_by_chance];
        let beyond = disagreed / disagreed_by_chance;
        let row_weight: [f64; N] =
            std::array::from_fn(|row| (0..N).map(|at| weight(row, at) * columns[at]).sum());
        let column_weight: [f64; N] =
            std::array::from_fn(|column| (0..N).map(|at| weight(at, column) * rows[at]).sum());
        let spread: f64 = cells::<N>()
            .map(|(row, column)| {
                let expected = (row_weight[row] + column_weight[column]) * beyond;
                share[row][column] * (weight(row, column) - expected).powi(2)
            })
            .sum();
        let mean = (1.0 - beyond) - by_chance * beyond;
        let variance = (spread - mean * mean) / (total * disagreed_by_chance.powi(2));
        Some(Agreement {
            items,
            observed,
            by_chance,
            variance: variance.max(0.0),
        })
    }

    fn kappa(&self) -> f64 {
        self.corrected(self.observed)
    }

    /// Returns the kappa of an observed agreement.
    fn corrected(&self, observed: f64) -> f64 {
        1.0 - (1.0 - observed) / (1.0 - self.by_chance)
    }

    fn interval(&self, level: Level) -> Interval {
        let variance = self.variance * (1.0 - self.by_chance).powi(2);
        let items = self.items as f64;
        let n = (self.observed * (1.0 - self.observed) / variance).min(items);
        // Without disagreement there is no variance, and the quotient is not a number.
        let n = if n > 0.0 { n } else { items };
        let (low, high) = wilson_bounds(self.observed, n, normal_upper(level.tail()));
        let estimate = self.kappa();
        Interval {
            estimate,
            low: self.corrected(low).clamp(-1.0, estimate),
            high: self.corrected(high).clamp(estimate, 1.0),
            level,
            n: self.items,
            clusters: None,
            effective_n: None,
            standard_error: Some(self.variance.sqrt()),
            method: IntervalMethod::KappaWilson,
        }
    }
}

fn cells<const N: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..N).flat_map(|row| (0..N).map(move |column| (row, column)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_agreement_on_few_items_is_not_certainty() {
        let found = kappa_interval(&[[5, 0], [0, 5]], Level::NINETY_FIVE).unwrap();
        assert_eq!((found.estimate, found.high), (1.0, 1.0));
        assert!((found.low - 0.444_9).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn one_category_has_no_kappa_and_no_interval() {
        assert_eq!(kappa_interval(&[[5, 0], [0, 0]], Level::NINETY_FIVE), None);
        assert_eq!(kappa_interval(&[[0, 0], [0, 0]], Level::NINETY_FIVE), None);
        assert_eq!(weighted_kappa(&[[0; 3]; 3]), None);
    }

    #[test]
    fn more_items_narrow_the_interval() {
        let width = |scale: u64| {
            let confusion = [[20, 5], [10, 15]].map(|row| row.map(|count| count * scale));
            let found = kappa_interval(&confusion, Level::NINETY_FIVE).unwrap();
            found.high - found.low
        };
        assert!((width(100) / width(1) - 0.1).abs() < 0.01);
    }
}
