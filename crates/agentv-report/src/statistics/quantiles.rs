//! What a share of values does not exceed.

/// Values in their order, to ask for quantiles.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantiles {
    sorted: Vec<f64>,
}

impl Quantiles {
    /// Of these values, which are finite.
    pub fn of(mut values: Vec<f64>) -> Quantiles {
        values.sort_unstable_by(f64::total_cmp);
        Quantiles { sorted: values }
    }

    /// The value that the share `share` of all values does not exceed, by the nearest rank: the
    /// ⌈share·n⌉-th, and the first for 0. It is always one of the values, nothing is interpolated.
    /// `None` without values; a share outside 0 to 1 is taken for the nearest end.
    pub fn at(&self, share: f64) -> Option<f64> {
        let rank = share.clamp(0.0, 1.0) * self.sorted.len() as f64;
        // 0.07·100 is a little more than 7 to a computer, and still the seventh is meant.
        let rank = (rank - rank * 2.0 * f64::EPSILON).ceil() as usize;
        let index = rank.max(1) - 1;
        self.sorted.get(index).copied()
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.sorted.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_one_of_the_values() {
        assert_eq!(Quantiles::of(vec![]).at(0.5), None);
        assert_eq!(Quantiles::of(vec![3.0]).at(0.0), Some(3.0));
        let hundred = Quantiles::of((1..=100).rev().map(f64::from).collect());
        for percent in 1..=100 {
            let share = f64::from(percent) / 100.0;
            assert_eq!(hundred.at(share), Some(f64::from(percent)));
        }
        assert_eq!(
            (hundred.at(-1.0), hundred.at(2.0)),
            (Some(1.0), Some(100.0))
        );
        assert_eq!(hundred.at(f64::NAN), Some(1.0));
    }
}
