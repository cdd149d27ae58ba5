//! Sums of floating-point numbers without rounding, which do not depend on the order of addition.

/// A sum of parts that do not overlap, the smallest first. It is exact, and there are never more
/// than about forty parts.
///
/// [`value`](ExactSum::value) is the number nearest to the sum, so it does not depend on the order
/// of addition. Numbers and their products must stay below 1e300, which no score, cost or time
/// approaches.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExactSum {
    parts: Vec<f64>,
}

impl ExactSum {
    /// Adds a number.
    pub(crate) fn add(&mut self, number: f64) {
        let mut carried = number;
        let mut kept = 0;
        for index in 0..self.parts.len() {
            let (sum, rest) = two_sum(carried, self.parts[index]);
            if rest != 0.0 {
                self.parts[kept] = rest;
                kept += 1;
            }
            carried = sum;
        }
        // A sum that has become infinite stays infinite, in one part.
        self.parts
            .truncate(if carried.is_finite() { kept } else { 0 });
        if carried != 0.0 {
            self.parts.push(carried);
        }
    }

    /// Adds the product of two numbers.
    pub(crate) fn add_product(&mut self, one: f64, other: f64) {
        let product = one * other;
        self.add(product);
        self.add(one.mul_add(other, -product));
    }

    /// Adds another sum.
    pub(crate) fn add_sum(&mut self, other: &ExactSum) {
        other.parts.iter().for_each(|part| self.add(*part));
    }

    /// Returns the sum multiplied by `factor`.
    pub(crate) fn scaled(&self, factor: f64) -> ExactSum {
        let mut scaled = ExactSum::default();
        let parts = self.parts.iter();
        parts.for_each(|part| scaled.add_product(*part, factor));
        scaled
    }

    /// Returns the product of two sums.
    pub(crate) fn times(&self, other: &ExactSum) -> ExactSum {
        let mut product = ExactSum::default();
        for one in &self.parts {
            let others = other.parts.iter();
            others.for_each(|other| product.add_product(*one, *other));
        }
        product
    }

    /// Returns this sum plus another.
    pub(crate) fn plus(mut self, other: &ExactSum) -> ExactSum {
        self.add_sum(other);
        self
    }

    /// Returns the number nearest to the sum.
    pub(crate) fn value(&self) -> f64 {
        let mut parts = self.parts.iter().rev();
        let mut sum = parts.next().copied().unwrap_or(0.0);
        for part in parts.by_ref() {
            let (rounded, rest) = two_sum(sum, *part);
            sum = rounded;
            if rest != 0.0 {
                return round_half(sum, rest, parts.next().copied());
            }
        }
        sum
    }

    /// Returns the sum divided by `count`, which must not be 0. The mean of equal numbers is that
    /// number.
    pub(crate) fn mean(&self, count: u64) -> f64 {
        let count = count as f64;
        let quotient = self.value() / count;
        let mut rest = self.clone();
        rest.add_product(-count, quotient);
        quotient + rest.value() / count
    }
}

/// Returns the sum of `sum`, `rest` and the parts below, where `sum` is `sum + rest` rounded.
/// Rounding a tie to even is wrong if there is more below on the same side.
fn round_half(sum: f64, rest: f64, below: Option<f64>) -> f64 {
    let doubled = rest * 2.0;
    let next = sum + doubled;
    match below {
        Some(below) if (below < 0.0) == (rest < 0.0) && next - sum == doubled => next,
        Some(_) | None => sum,
    }
}

/// Returns the rounded sum of two numbers and the rounding error.
fn two_sum(one: f64, other: f64) -> (f64, f64) {
    let sum = one + other;
    let of_other = sum - one;
    let rest = (one - (sum - of_other)) + (other - of_other);
    (sum, rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(numbers: &[f64]) -> f64 {
        let mut sum = ExactSum::default();
        numbers.iter().for_each(|number| sum.add(*number));
        sum.value()
    }

    #[test]
    fn what_rounding_loses_elsewhere_is_kept() {
        assert_eq!(sum(&[1e100, 1.0, -1e100]), 1.0);
        assert_eq!(sum(&[0.1; 10]), 1.0);
        assert_eq!(sum(&[]), 0.0);
        assert_eq!(sum(&[-0.0]).to_bits(), 0.0f64.to_bits());
    }

    #[test]
    fn an_infinite_sum_takes_no_more_space() {
        let mut sum = ExactSum::default();
        (0..100).for_each(|_| sum.add_product(f64::MAX, 2.0));
        assert_eq!(sum.parts.len(), 1);
        assert!(!sum.value().is_finite());
    }

    #[test]
    fn a_tie_is_rounded_by_the_digits_below_it() {
        let half = f64::EPSILON / 2.0;
        assert_eq!(sum(&[1.0, half]), 1.0);
        assert_eq!(sum(&[1.0, half, 1e-60]), 1.0 + f64::EPSILON);
        assert_eq!(sum(&[1.0, half, -1e-60]), 1.0);
    }

    #[test]
    fn products_are_exact() {
        let mut product = ExactSum::default();
        product.add_product(0.1, 0.1);
        product.add(-(0.1 * 0.1));
        assert_eq!(product.value(), 0.1f64.mul_add(0.1, -(0.1 * 0.1)));
        let third = ExactSum::default().plus(&ExactSum {
            parts: vec![1.0 / 3.0],
        });
        let minus = third.times(&third).scaled(-1.0);
        assert_eq!(third.times(&third).plus(&minus).value(), 0.0);
    }

    proptest! {
        #[test]
        fn the_parts_stay_few(numbers in prop::collection::vec(-1e100..1e100f64, 0..300)) {
            let mut sum = ExactSum::default();
            for (index, number) in numbers.iter().enumerate() {
                sum.add(number * 10f64.powi(-(index as i32)));
            }
            prop_assert!(sum.parts.len() <= 40, "{}", sum.parts.len());
        }

        #[test]
        fn whole_numbers_are_summed_as_whole_numbers(
            numbers in prop::collection::vec(-(1i64 << 50)..(1i64 << 50), 0..60)
        ) {
            let units: Vec<f64> = numbers.iter().map(|number| *number as f64 / 1024.0).collect();
            let total: i128 = numbers.iter().map(|number| i128::from(*number)).sum();
            prop_assert_eq!(sum(&units), total as f64 / 1024.0);
        }
    }
}
