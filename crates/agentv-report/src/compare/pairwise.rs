//! Every two of several runs.

use super::comparison::{Figures, compare};
use super::matching::NothingShared;
use super::run::ComparedRun;
use agentv_statistics::holm;

/// Every two of several runs, their p-values corrected together. Of each pair only the figures are
/// kept: which trials belong together is found again where it is wanted.
#[derive(Debug)]
pub struct Pairwise<'r> {
    pub(super) runs: &'r [ComparedRun],
    pub(super) pairs: Vec<RunPair>,
}

/// Two of several runs.
#[derive(Debug)]
pub struct RunPair {
    /// The place of the first among the runs.
    pub a: usize,
    /// The place of the second, behind the first.
    pub b: usize,
    /// How they differ, where they have something in common; the p-value is corrected by Holm for the
    /// number of pairs.
    pub figures: Result<Figures, NothingShared>,
}

impl<'r> Pairwise<'r> {
    /// Compares every two of the runs, the earlier being what the later is held against.
    pub fn of(runs: &'r [ComparedRun], threshold: f64) -> Pairwise<'r> {
        let places = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b)));
        let mut pairs: Vec<RunPair> = places
            .map(|(a, b)| {
                let comparison = compare(&runs[a], &runs[b], threshold);
                let figures = comparison.map(|comparison| comparison.figures);
                RunPair { a, b, figures }
            })
            .collect();
        let summaries = pairs
            .iter_mut()
            .filter_map(|pair| pair.figures.as_mut().ok());
        let mut summaries: Vec<_> = summaries.map(|figures| &mut figures.summary).collect();
        let p_values: Vec<f64> = summaries.iter().map(|summary| summary.p_value).collect();
        for (summary, corrected) in summaries.iter_mut().zip(holm(&p_values)) {
            summary.correct(corrected);
        }
        Pairwise { runs, pairs }
    }

    /// The pair of these two places, the first being before the second.
    pub fn pair(&self, a: usize, b: usize) -> Option<&RunPair> {
        self.pairs.iter().find(|pair| (pair.a, pair.b) == (a, b))
    }

    /// The first run and the last.
    pub fn ends(&self) -> Option<&RunPair> {
        self.pair(0, self.runs.len().checked_sub(1)?)
    }
}
