//! Histograms of values that span orders of magnitude, as the page draws them.

use serde::Serialize;

/// The number of bins.
const BINS: usize = 24;

/// The number of values in bins that grow evenly from `low` to `high`.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    low: f64,
    high: f64,
    /// The counts of one run.
    series: [Vec<u64>; 1],
}

/// Counts the values that are positive; `None` if there are none.
pub(super) fn spread(values: impl Iterator<Item = f64> + Clone) -> Option<Spread> {
    let values = values.filter(|value| *value > 0.0 && value.is_finite());
    let ends = values
        .clone()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
    let (low, high) = match ends {
        (_, 0.0) => return None,
        (low, high) if high / low < 1.5 => (low / 1.5, high * 1.5),
        ends => ends,
    };
    let scale = BINS as f64 / (high / low).ln();
    let mut counts = vec![0; BINS];
    for value in values {
        let bin = ((value / low).ln() * scale).floor().max(0.0) as usize;
        counts[bin.min(BINS - 1)] += 1;
    }
    Some(Spread {
        low,
        high,
        series: [counts],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_in_one_bin_and_the_ends_are_those_of_the_values() {
        let found = spread([1.0, 10.0, 100.0, f64::NAN, 0.0].into_iter()).unwrap();
        assert_eq!((found.low, found.high), (1.0, 100.0));
        let filled: Vec<usize> = (0..BINS).filter(|bin| found.series[0][*bin] > 0).collect();
        assert_eq!(filled, [0, 12, 23]);
        assert_eq!(spread([0.0, f64::NAN].into_iter()), None);
        let one = spread([3.0].into_iter()).unwrap();
        assert_eq!((one.low, one.high), (2.0, 4.5));
    }
}
