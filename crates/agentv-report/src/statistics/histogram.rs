//! How many values lie in each of a row of bins.

use serde::Serialize;

/// Counts of values in bins between `edges`. A value on an edge belongs to the bin above it; on the
/// last edge, to the last bin.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Histogram {
    /// The ends of the bins, rising: one more than there are bins.
    pub edges: Vec<f64>,
    /// How many values lie in each bin.
    pub counts: Vec<u64>,
    /// How many lie below the first edge.
    pub below: u64,
    /// How many lie above the last edge.
    pub above: u64,
}

impl Histogram {
    /// Bins of the same width from 0 to 1, for scores; one at least.
    pub fn unit(bins: u16) -> Histogram {
        let bins = bins.max(1);
        let edges = (0..=bins).map(|edge| f64::from(edge) / f64::from(bins));
        Histogram::between(edges.collect())
    }

    /// Bins of the same ratio from 10^`from` to 10^`to`, so many for each power of ten, for costs
    /// and times; one at least. What is 0 lies below.
    pub fn decades(from: i8, to: i8, bins_per_decade: u8) -> Histogram {
        let (from, to) = (i32::from(from), i32::from(to.max(from.saturating_add(1))));
        let parts = i32::from(bins_per_decade.max(1));
        let edge = |step: i32| {
            let (decade, part) = (from + step / parts, step % parts);
            match part {
                0 => power_of_ten(decade),
                _ => power_of_ten(decade) * 10f64.powf(f64::from(part) / f64::from(parts)),
            }
        };
        Histogram::between((0..=(to - from).max(1) * parts).map(edge).collect())
    }

    /// [`decades`](Histogram::decades) that hold all values above 0, with the values counted;
    /// `None` where there are none above 0.
    pub fn of_positive(values: &[f64], bins_per_decade: u8) -> Option<Histogram> {
        let positive = || values.iter().copied().filter(|value| *value > 0.0);
        let smallest = positive().reduce(f64::min)?;
        let largest = positive().reduce(f64::max)?;
        let (from, last) = (decade_of(smallest), decade_of(largest));
        let to = if power_of_ten(last) == largest {
            last
        } else {
            last + 1
        };
        let mut histogram = Histogram::decades(from as i8, to as i8, bins_per_decade);
        values.iter().for_each(|value| histogram.add(*value));
        Some(histogram)
    }

    fn between(edges: Vec<f64>) -> Histogram {
        Histogram {
            counts: vec![0; edges.len() - 1],
            edges,
            below: 0,
            above: 0,
        }
    }

    /// Counts a finite value.
    pub fn add(&mut self, value: f64) {
        let reached = self.edges.partition_point(|edge| *edge <= value);
        let bins = self.counts.len();
        let is_last = self.edges.last() == Some(&value);
        match reached {
            0 => self.below += 1,
            _ if reached <= bins => self.counts[reached - 1] += 1,
            _ if is_last => self.counts[bins - 1] += 1,
            _ => self.above += 1,
        }
    }

    /// All that were counted.
    pub fn total(&self) -> u64 {
        self.below + self.counts.iter().sum::<u64>() + self.above
    }
}

/// The nearest number to a power of ten: read, as computing it may miss that.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(f64::INFINITY)
}

/// The highest power of ten that is not above a value; between −120 and 120 for any.
fn decade_of(value: f64) -> i32 {
    let guess = value.log10().floor().clamp(-120.0, 120.0) as i32;
    let nearby = [guess + 1, guess, guess - 1];
    let found = nearby
        .into_iter()
        .find(|exponent| power_of_ten(*exponent) <= value);
    found.unwrap_or(guess).min(120)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_on_an_edge_belongs_above_it() {
        let mut scores = Histogram::unit(100);
        let written: Vec<f64> = (0..=100).map(|cents| f64::from(cents) / 100.0).collect();
        written.iter().for_each(|score| scores.add(*score));
        let mut expected = vec![1; 100];
        expected[99] = 2;
        assert_eq!((scores.counts, scores.below + scores.above), (expected, 0));
    }

    #[test]
    fn decades_end_at_powers_of_ten() {
        let mut times = Histogram::decades(0, 3, 1);
        assert_eq!(times.edges, [1.0, 10.0, 100.0, 1000.0]);
        [0.0, 0.9, 1.0, 9.9, 10.0, 1000.0, 1000.1]
            .iter()
            .for_each(|time| times.add(*time));
        assert_eq!((times.below, times.above), (2, 1));
        assert_eq!(times.counts, [2, 1, 1]);
        assert_eq!(times.total(), 7);
    }

    #[test]
    fn the_bins_hold_all_that_is_above_zero() {
        let costs = [0.0, 0.000_3, 0.02, 0.5, 0.000_3];
        let found = Histogram::of_positive(&costs, 3).unwrap();
        assert_eq!((found.below, found.above, found.counts.len()), (1, 0, 12));
        assert_eq!(Histogram::of_positive(&[0.0], 3), None);
        let one = Histogram::of_positive(&[100.0], 2).unwrap();
        assert_eq!((one.total(), one.below + one.above), (1, 0));
        let just_above = Histogram::of_positive(&[1000.0_f64.next_up()], 1).unwrap();
        assert_eq!((just_above.total(), just_above.above), (1, 0));
        for extreme in [f64::MIN_POSITIVE, f64::MAX] {
            assert_eq!(Histogram::of_positive(&[extreme], 255).unwrap().total(), 1);
        }
    }

    #[test]
    fn no_bins_are_one_bin() {
        assert_eq!(Histogram::unit(0).edges, [0.0, 1.0]);
        assert_eq!(Histogram::decades(5, 2, 0).counts.len(), 1);
        assert_eq!(Histogram::decades(127, 127, 1).counts.len(), 1);
    }
}
