//! Statistics of scores in bounded memory, the same whatever the order.

use std::collections::BTreeMap;

use agentv_core::Score;

use super::Scores;

/// Counts and exact sums of scores. Scores are kept to nine decimals for mean and deviation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    count: u64,
    sum: u128,
    squares: u128,
}

const UNITS: f64 = 1e9;

/// The nearest whole number of parts of a score.
fn nearest(score: Score, parts: f64) -> u64 {
    (score.value() * parts + 0.5) as u64
}

impl Moments {
    pub(crate) fn add(&mut self, score: Score) {
        let units = u128::from(nearest(score, UNITS));
        self.count += 1;
        self.sum += units;
        self.squares += units * units;
    }

    /// The plain average; `None` of nothing.
    pub(crate) fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / (self.count as f64 * UNITS))
    }

    /// The standard deviation of a sample; `None` of fewer than two.
    pub(super) fn standard_deviation(&self) -> Option<f64> {
        let others = self.count.checked_sub(1).filter(|others| *others > 0)?;
        let count = u128::from(self.count);
        // n·Σx² − (Σx)² in whole numbers: nothing cancels.
        let spread = (count * self.squares).saturating_sub(self.sum * self.sum);
        let variance = spread as f64 / (self.count as f64 * others as f64);
        Some(variance.sqrt() / UNITS)
    }
}

/// Scores counted by value, to six decimals: at most a million and one counters, in practice few.
#[derive(Debug, Clone, Default)]
pub(super) struct ScoreFold {
    moments: Moments,
    counts: BTreeMap<u32, u64>,
}

const STEPS: f64 = 1e6;

impl ScoreFold {
    pub(super) fn add(&mut self, score: Score) {
        self.moments.add(score);
        let step = nearest(score, STEPS) as u32;
        *self.counts.entry(step).or_default() += 1;
    }

    pub(super) fn finish(&self) -> Option<Scores> {
        let count = self.moments.count;
        let mut histogram = [0; 10];
        for (step, trials) in &self.counts {
            histogram[(*step as usize / 100_000).min(9)] += trials;
        }
        let lower = self.ranked(count.saturating_sub(1) / 2)?;
        let upper = self.ranked(count / 2)?;
        Some(Scores {
            count,
            mean: self.moments.mean()?,
            median: f64::from(lower + upper) / (2.0 * STEPS),
            min: f64::from(*self.counts.keys().next()?) / STEPS,
            max: f64::from(*self.counts.keys().next_back()?) / STEPS,
            standard_deviation: self.moments.standard_deviation(),
            histogram,
        })
    }

    /// The score that `rank` others stand before when sorted.
    fn ranked(&self, rank: u64) -> Option<u32> {
        let mut before = 0;
        let mut counts = self.counts.iter();
        let found = counts.find(|(_, trials)| {
            before += **trials;
            before > rank
        });
        found.map(|(step, _)| *step)
    }
}
