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

/// Scores counted by value, rounded down to six decimals, so that none reaches a threshold by rounding: at most a million and one counters, in practice few.
#[derive(Debug, Clone, Default)]
pub(super) struct ScoreCounts {
    counts: BTreeMap<u32, u64>,
}

const STEPS: f64 = 1e6;
/// The share of a step by which the nearest number to a decimal may lie below it.
const ROUNDING: f64 = 1e-3;

impl ScoreCounts {
    pub(super) fn add(&mut self, score: Score) {
        let step = (score.value() * STEPS + ROUNDING) as u32;
        *self.counts.entry(step).or_default() += 1;
    }

    /// Returns the figures of these scores, with the given moments.
    pub(super) fn finish(&self, moments: &Moments) -> Option<Scores> {
        let count = moments.0.count();
        let mut histogram = [0; 10];
        for (step, trials) in &self.counts {
            histogram[(*step as usize / 100_000).min(9)] += trials;
        }
        let lower = self.ranked(count.saturating_sub(1) / 2)?;
        let upper = self.ranked(count / 2)?;
        Some(Scores {
            count,
            mean: moments.mean(),
            median: Some(f64::from(lower + upper) / (2.0 * STEPS)),
            min: f64::from(*self.counts.keys().next()?) / STEPS,
            max: f64::from(*self.counts.keys().next_back()?) / STEPS,
            standard_deviation: moments.0.standard_deviation(),
            histogram,
        })
    }

    /// Returns the score at index `rank` of the sorted scores.
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
