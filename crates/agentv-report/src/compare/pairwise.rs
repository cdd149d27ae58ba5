//! Every two of several runs.

use super::comparison::{Comparison, compare};
use super::families::SIGNIFICANT;
use super::matching::NothingShared;
use super::run::ComparedRun;
use crate::statistics::holm;

/// Every two of several runs, their p-values corrected together.
#[derive(Debug)]
pub struct Pairwise<'r> {
    pub(super) runs: &'r [ComparedRun],
    pub(super) pairs: Vec<RunPair<'r>>,
}

/// Two of several runs.
#[derive(Debug)]
pub struct RunPair<'r> {
    /// The place of the first among the runs.
    pub a: usize,
    /// The place of the second, behind the first.
    pub b: usize,
    /// How they differ, where they have something in common.
    pub comparison: Result<Comparison<'r>, NothingShared>,
    /// The p-value of the permutation test, corrected by Holm for the number of pairs.
    pub corrected_p_value: f64,
}

impl RunPair<'_> {
    /// Whether the corrected p-value is below 0.05.
    pub fn is_significant(&self) -> bool {
        self.corrected_p_value < SIGNIFICANT
    }
}

impl<'r> Pairwise<'r> {
    /// Compares every two of the runs, the earlier being what the later is held against.
    pub fn of(runs: &'r [ComparedRun], threshold: f64) -> Pairwise<'r> {
        let places = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b)));
        let mut pairs: Vec<RunPair<'r>> = places
            .map(|(a, b)| {
                let comparison = compare(&runs[a], &runs[b], threshold);
                let found = comparison.as_ref().ok();
                let tested = found.map(|found| found.summary().statistics.permutation.p_value);
                RunPair {
                    a,
                    b,
                    corrected_p_value: tested.unwrap_or(1.0),
                    comparison,
                }
            })
            .collect();
        let compared = |pair: &&mut RunPair<'r>| pair.comparison.is_ok();
        let p_values: Vec<f64> = pairs
            .iter_mut()
            .filter(compared)
            .map(|pair| pair.corrected_p_value)
            .collect();
        for (pair, corrected) in pairs.iter_mut().filter(compared).zip(holm(&p_values)) {
            pair.corrected_p_value = corrected;
        }
        Pairwise { runs, pairs }
    }

    /// The pair of these two places, the first being before the second.
    pub fn pair(&self, a: usize, b: usize) -> Option<&RunPair<'r>> {
        self.pairs.iter().find(|pair| (pair.a, pair.b) == (a, b))
    }

    /// The first run and the last.
    pub fn ends(&self) -> Option<&RunPair<'r>> {
        self.pair(0, self.runs.len().checked_sub(1)?)
    }
}
