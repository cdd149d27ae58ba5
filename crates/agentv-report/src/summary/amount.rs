//! Sums of money that do not depend on the order of adding.

/// An amount of US dollars in whole millionths of a millionth: sums are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Amount(u128);

const UNITS: f64 = 1e12;

impl Amount {
    /// The amount; `None` of what is no amount of money: below zero, infinite, not a number.
    pub(crate) fn of(dollars: f64) -> Option<Amount> {
        // To the nearest; by way of 64 bits, which is many times faster and enough for a trial.
        let units = (dollars * UNITS + 0.5) as u64;
        (dollars.is_finite() && dollars >= 0.0).then(|| Amount(u128::from(units)))
    }

    /// Adds another.
    pub(crate) fn add(&mut self, other: Amount) {
        self.0 = self.0.saturating_add(other.0);
    }

    /// The amount in dollars.
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
    fn what_is_no_amount_is_none() {
        for dollars in [-0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Amount::of(dollars), None, "{dollars}");
        }
        let mut most = Amount::of(f64::MAX).unwrap();
        most.add(most);
        assert!(most.dollars().is_finite());
    }
}
