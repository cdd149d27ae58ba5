//! Sums of money that do not depend on the order of addition.

/// An amount of US dollars in units of 10⁻¹² dollars, so that sums are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Amount(u128);

const UNITS: f64 = 1e12;

impl Amount {
    /// Returns the amount, or `None` if it is negative, infinite or not a number.
    pub(crate) fn of(dollars: f64) -> Option<Amount> {
        // Rounded to the nearest, through 64 bits: many times faster, and enough for a trial.
        let units = (dollars * UNITS + 0.5) as u64;
        (dollars.is_finite() && dollars >= 0.0).then(|| Amount(u128::from(units)))
    }

    /// Adds another amount.
    pub(crate) fn add(&mut self, other: Amount) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// Returns the amount in dollars.
    pub(crate) fn dollars(self) -> f64 {
        self.0 as f64 / UNITS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_times_ten_cents_is_a_dollar() {
        let mut sum = Amount::default();
        for _ in 0..10 {
            sum.add(Amount::of(0.1).unwrap());
        }
        assert_eq!(sum.dollars(), 1.0);
    }

    #[test]
    fn an_amount_that_is_not_finite_is_none() {
        for dollars in [-0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Amount::of(dollars), None, "{dollars}");
        }
        let mut most = Amount::of(f64::MAX).unwrap();
        most.add(most);
        assert!(most.dollars().is_finite());
    }
}
