//! Mean and variance of a stream of values, the same whatever their order.

use crate::exact::ExactSum;

/// Counts values, their sum and that of their squares, without rounding: the figures of a run do
/// not depend on the order its trials ended in, to the last bit. Folds of parts can be merged.
///
/// Values are finite: scores, and as well costs and times.
#[derive(Debug, Clone, Default)]
pub struct ScoreFold {
    count: u64,
    sum: ExactSum,
    squares: ExactSum,
}

impl ScoreFold {
    /// A fold of nothing yet.
    pub fn new() -> ScoreFold {
        ScoreFold::default()
    }

    /// Takes a value.
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum.add(value);
        self.squares.add_product(value, value);
    }

    /// Takes all that another fold took.
    pub fn merge(&mut self, other: &ScoreFold) {
        self.count += other.count;
        self.sum.add_sum(&other.sum);
        self.squares.add_sum(&other.squares);
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the values.
    pub fn sum(&self) -> f64 {
        self.sum.value()
    }

    /// The plain average; `None` of nothing.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum.mean(self.count))
    }

    /// The variance of a sample, Σ(x − x̄)² / (n − 1); `None` of fewer than two values. Exactly 0
    /// where all are equal.
    pub fn variance(&self) -> Option<f64> {
        (self.count > 1).then(|| self.spread() / (self.count - 1) as f64)
    }

    /// The square root of the [variance](ScoreFold::variance).
    pub fn standard_deviation(&self) -> Option<f64> {
        self.variance().map(f64::sqrt)
    }

    /// Σ(x − x̄)²; 0 of nothing.
    pub(crate) fn spread(&self) -> f64 {
        self.spread_about(&self.sum, self.count)
    }

    /// Σ(x − m)² about the mean m = total / count of more values than these; 0 of nothing.
    pub(crate) fn spread_about(&self, total: &ExactSum, count: u64) -> f64 {
        if self.count == 0 || count == 0 {
            return 0.0;
        }
        let count = count as f64;
        // c²Σx² − 2c·T·Σx + n·T²: all is exact, so nothing cancels but what is equal.
        let squares = self.squares.scaled(count).scaled(count);
        let crossed = total.times(&self.sum).scaled(-2.0).scaled(count);
        let means = total.times(total).scaled(self.count as f64);
        squares.plus(&crossed).plus(&means).value() / (count * count)
    }

    pub(crate) fn exact_sum(&self) -> &ExactSum {
        &self.sum
    }
}

/// How far the sum of `members` values is from what it would be were each the mean of all `count`:
/// Σ(x − total / count).
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
