//! Statistics of scores in bounded memory, independent of their order.

use std::collections::BTreeMap;

use agentv_core::Score;
use agentv_statistics::ScoreFold;

use super::Scores;

/// The mean and deviation of scores, from exact sums: the same figures as those of
/// [agentv-statistics](agentv_statistics).
#[derive(Debug, Clone, Default)]
pub(crate) struct Moments(ScoreFold);

impl Moments {
    pub(crate) fn add(&mut self, score: Score) {
        self.0.add(score.value());
    }

    /// Adds all scores of another.
    pub(crate) fn join(&mut self, others: &Moments) {
        self.0.merge(&others.0);
    }

    /// Returns the mean, or `None` without scores.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.0.mean()
    }
}

/// Scores counted by value, in any order. Of very many different scores, the values are rounded down to six
/// decimals, so that none reaches a threshold by rounding.
#[derive(Debug, Clone, Default)]
pub(super) struct ScoreCounts {
    /// The trials by the bits of their score, which have the order of the scores.
    counts: BTreeMap<u64, u64>,
    /// The lowest and the highest score.
    range: Option<(f64, f64)>,
    is_rounded: bool,
}

/// The most different scores that are counted exactly.
const MOST_EXACT: usize = 100_000;
const STEPS: f64 = 1e6;
/// The share of a step by which the nearest number to a decimal may lie below it.
const ROUNDING: f64 = 1e-3;

/// Returns the number of whole millionths in a score.
fn steps(value: f64) -> u32 {
    (value * STEPS + ROUNDING) as u32
}

fn rounded_down(value: f64) -> f64 {
    f64::from(steps(value)) / STEPS
}

impl ScoreCounts {
    pub(super) fn add(&mut self, score: Score) {
        let value = score.value();
        let (lowest, highest) = self.range.unwrap_or((value, value));
        self.range = Some((lowest.min(value), highest.max(value)));
        let counted = if self.is_rounded {
            rounded_down(value)
        } else {
            value
        };
        *self.counts.entry(counted.to_bits()).or_default() += 1;
        if !self.is_rounded && self.counts.len() > MOST_EXACT {
            self.round();
        }
    }

    /// Rounds all scores, so that at most a million and one counters are needed.
    fn round(&mut self) {
        self.is_rounded = true;
        for (bits, trials) in std::mem::take(&mut self.counts) {
            let rounded = rounded_down(f64::from_bits(bits));
            *self.counts.entry(rounded.to_bits()).or_default() += trials;
        }
    }

    /// Returns the figures of these scores, with the given moments.
    pub(super) fn finish(&self, moments: &Moments) -> Option<Scores> {
        let count = moments.0.count();
        let mut histogram = [0; 10];
        for (bits, trials) in &self.counts {
            let tenth = steps(f64::from_bits(*bits)) as usize / 100_000;
            histogram[tenth.min(9)] += trials;
        }
        let (min, max) = self.range?;
        let lower = self.ranked(count.saturating_sub(1) / 2)?;
        let upper = self.ranked(count / 2)?;
        Some(Scores {
            count,
            mean: moments.mean(),
            median: Some(lower.midpoint(upper)),
            min,
            max,
            standard_deviation: moments.0.standard_deviation(),
            histogram,
        })
    }

    /// Returns the score at index `rank` of the sorted scores.
    fn ranked(&self, rank: u64) -> Option<f64> {
        let mut before = 0;
        let mut counts = self.counts.iter();
        let found = counts.find(|(_, trials)| {
            before += **trials;
            before > rank
        });
        found.map(|(bits, _)| f64::from_bits(*bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(values: impl Iterator<Item = f64>) -> Scores {
        let (mut counts, mut moments) = (ScoreCounts::default(), Moments::default());
        for score in values.map(|value| Score::new(value).unwrap()) {
            counts.add(score);
            moments.add(score);
        }
        counts.finish(&moments).unwrap()
    }

    #[test]
    fn the_figures_of_scores_are_exact() {
        let found = figures([2.0 / 3.0, 1.0 / 3.0, 0.3].into_iter());
        assert_eq!((found.min, found.max), (0.3, 2.0 / 3.0));
        assert_eq!(found.median, Some(1.0 / 3.0));
        assert_eq!(found.histogram, [0, 0, 0, 2, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn of_very_many_different_scores_only_the_median_is_rounded() {
        let count = 2 * MOST_EXACT + 1;
        let value = |at: usize| at as f64 / (count - 1) as f64 * (2.0 / 3.0);
        let found = figures((0..count).map(value));
        assert_eq!(found, figures((0..count).rev().map(value)));
        assert_eq!((found.min, found.max), (0.0, 2.0 / 3.0));
        assert_eq!(found.median, Some(0.333_333));
    }
}
