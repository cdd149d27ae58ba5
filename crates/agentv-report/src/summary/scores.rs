//! Statistics of scores in bounded memory, the same whatever the order.

use std::collections::BTreeMap;

use agentv_core::Score;
use agentv_statistics::ScoreFold;

use super::Scores;

/// Mean and deviation of scores, from sums without rounding: the same figures as the
/// [statistics](agentv_statistics) of these scores have.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moments(ScoreFold);

impl Moments {
    pub(crate) fn add(&mut self, score: Score) {
        self.0.add(score.value());
    }

    /// Takes all that others took.
    pub(crate) fn join(&mut self, others: &Moments) {
        self.0.merge(&others.0);
    }

    /// The plain average; `None` of nothing.
    pub(crate) fn mean(&self) -> Option<f64> {
        self.0.mean()
    }
}

/// Scores counted by value, to six decimals: at most a million and one counters, in practice few.
#[derive(Debug, Clone, Default)]
pub(super) struct ScoreCounts {
    counts: BTreeMap<u32, u64>,
}

const STEPS: f64 = 1e6;

impl ScoreCounts {
    pub(super) fn add(&mut self, score: Score) {
        let step = (score.value() * STEPS + 0.5) as u32;
        *self.counts.entry(step).or_default() += 1;
    }

    /// The figures of these scores, of which the moments are given.
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
            mean: moments.mean()?,
            median: f64::from(lower + upper) / (2.0 * STEPS),
            min: f64::from(*self.counts.keys().next()?) / STEPS,
            max: f64::from(*self.counts.keys().next_back()?) / STEPS,
            standard_deviation: moments.0.standard_deviation(),
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
