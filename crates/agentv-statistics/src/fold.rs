//! Mean and variance of a stream of values, which do not depend on the order of the values.

use crate::exact::ExactSum;

/// The count, the sum and the sum of squares of values, without rounding: the figures of a run do
/// not depend on the order in which its trials ended, to the last bit. Folds can be merged.
///
/// Values must be finite. They may be scores, costs or times.
#[derive(Debug, Clone, Default)]
pub struct ScoreFold {
    count: u64,
    sum: ExactSum,
    squares: ExactSum,
}

impl ScoreFold {
    /// Returns an empty fold.
    pub fn new() -> ScoreFold {
        ScoreFold::default()
    }

    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum.add(value);
        self.squares.add_product(value, value);
    }

    /// Adds all values of another fold.
    pub fn merge(&mut self, other: &ScoreFold) {
        self.count += other.count;
        self.sum.add_sum(&other.sum);
        self.squares.add_sum(&other.squares);
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// Returns the average, or `None` if there are no values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.mean(self.count))
    }

    /// Returns the sample variance, Σ(x − x̄)² / (n − 1), or `None` for fewer than two values. It
    /// is exactly 0 if all values are equal.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.spread() / (self.count - 1) as f64)
    }

    /// Returns the square root of the [variance](ScoreFold::variance).
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Computes Σ(x − x̄)², which is 0 without values.
    pub(crate) fn spread(&self) -> f64 {
        self.spread_about(&self.sum, self.count)
    }

    /// Computes Σ(x − m)² about the mean m = total / count of these and other values; 0 without
    /// values.
    pub(crate) fn spread_about(&self, total: &ExactSum, count: u64) -> f64 {
        if self.count == 0 || count == 0 {
            return 0.0;
        }
        let count = count as f64;
        // c²Σx² − 2c·T·Σx + n·T²: every term is exact, so only equal parts cancel.
        let squares = self.squares.scaled(count).scaled(count);
        let crossed = total.times(&self.sum).scaled(-2.0).scaled(count);
        let means = total.times(total).scaled(self.count as f64);
        squares.plus(&crossed).plus(&means).value() / (count * count)
    }

    pub(crate) fn exact_sum(&self) -> &ExactSum {
        &self.sum
    }
}

/// Computes the distance of the sum of `members` values from `members` times the mean of all
/// `count` values: Σ(x − total / count).
pub(crate) fn deviation(sum: &ExactSum, members: u64, total: &ExactSum, count: u64) -> f64 {
    let expected = total.scaled(-(members as f64));
    sum.scaled(count as f64).plus(&expected).value() / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_do_not_spread() {
        let mut fold = ScoreFold::new();
        assert_eq!((fold.mean(), fold.variance()), (None, None));
        fold.add(0.1);
        assert_eq!((fold.mean(), fold.variance()), (Some(0.1), None));
        (0..6).for_each(|_| fold.add(0.1));
        assert_eq!(fold.variance(), Some(0.0));
    }

    #[test]
    fn a_small_spread_about_a_large_mean_is_kept() {
        let mut fold = ScoreFold::new();
        [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]
            .iter()
            .for_each(|value| fold.add(*value));
        assert_eq!(fold.variance(), Some(30.0));
    }
}
