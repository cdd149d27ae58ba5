//! Comparisons of every two of several runs.

use super::comparison::{Figures, compare};
use super::judges::DifferentJudges;
use super::labels::label;
use super::matching::NothingShared;
use super::run::ComparedRun;
use agentv_statistics::holm;

/// Comparisons of every two of several runs, with p-values that are corrected together. Only the
/// figures of each pair are kept; its trials are matched again when needed.
#[derive(Debug)]
pub struct Pairwise<'r> {
    pub(super) runs: &'r [ComparedRun],
    pub(super) pairs: Vec<RunPair>,
}

/// Two of several runs.
#[derive(Debug)]
pub struct RunPair {
    /// The index of the first run.
    pub a: usize,
    /// The index of the second run, which is higher.
    pub b: usize,
    /// The figures, if the runs have a case in common. The p-values are corrected by Holm's method
    /// for the number of pairs and their targets.
    pub figures: Result<Figures, NothingShared>,
}

impl<'r> Pairwise<'r> {
    /// Compares every two of the runs; the earlier one is the baseline of the later one.
    pub fn of(runs: &'r [ComparedRun], threshold: f64) -> Pairwise<'r> {
        let places = (0..runs.len()).flat_map(|a| (a + 1..runs.len()).map(move |b| (a, b)));
        let mut pairs: Vec<RunPair> = places
            .map(|(a, b)| {
                let comparison = compare(&runs[a], &runs[b], threshold);
                let figures = comparison.map(|comparison| comparison.figures);
                RunPair { a, b, figures }
            })
            .collect();
        let figures = || pairs.iter().filter_map(|pair| pair.figures.as_ref().ok());
        let p_values: Vec<f64> = figures().flat_map(Figures::p_values).collect();
        let mut corrected = holm(&p_values).into_iter();
        for figures in pairs
            .iter_mut()
            .filter_map(|pair| pair.figures.as_mut().ok())
        {
            figures.correct(&mut corrected);
        }
        Pairwise { runs, pairs }
    }

    /// Returns the pair of two indices, the lower one first.
    pub fn pair(&self, a: usize, b: usize) -> Option<&RunPair> {
        self.pairs.iter().find(|pair| (pair.a, pair.b) == (a, b))
    }

    /// Returns the judges of each two runs that have different ones, with the labels of the runs.
    pub(super) fn different_judges(&self) -> impl Iterator<Item = ([String; 2], &DifferentJudges)> {
        self.pairs.iter().filter_map(|pair| {
            let figures = pair.figures.as_ref().ok()?;
            let judges = figures.summary.different_judges.as_ref()?;
            Some(([label(pair.a), label(pair.b)], judges))
        })
    }

    /// Returns the pair of the first and the last run.
    pub fn ends(&self) -> Option<&RunPair> {
        self.pair(0, self.runs.len().checked_sub(1)?)
    }
}
