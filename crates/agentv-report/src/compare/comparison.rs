//! The comparison of two runs.

use super::cases::{Case, cases};
use super::families::{self, Member};
use super::labels::{Naming, listed};
use super::matching::{Matching, NothingShared, by_target, matching};
use super::pairs::{PairSet, Pairs};
use super::run::{ComparedRun, Row};
use super::summary::{ComparisonSummary, ScoreDifference, summary};
use super::wording::FEW;

/// The comparison of a run with a baseline.
#[derive(Debug)]
pub struct Comparison<'r> {
    pub(super) a: &'r ComparedRun,
    pub(super) b: &'r ComparedRun,
    pub(super) matching: Matching,
    /// The matched cases on each target.
    pub(super) cases: Vec<Case>,
    pub(super) naming: Naming,
    pub(super) figures: Figures,
}

/// The figures of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// The figures of all cases.
    pub summary: ComparisonSummary,
    /// The figures of each target, if a run has several.
    pub targets: Vec<Member>,
    /// The figures of each evaluator, on each target if a run has several.
    pub evaluators: Vec<Member>,
}

/// Compares two runs; the first is the baseline of the second. A case's score in a run is the mean
/// of its graded trials, however many there are.
///
/// # Errors
/// Fails if they have no case in common.
pub fn compare<'r>(
    a: &'r ComparedRun,
    b: &'r ComparedRun,
    threshold: f64,
) -> Result<Comparison<'r>, NothingShared> {
    let matching = matching(a, b)?;
    let cases = cases(a, b, &matching);
    let by_target = by_target(a, b);
    let pairs = Pairs::of(a, b, &cases, by_target);
    let whole = if by_target {
        None
    } else {
        let all = pairs.targets.get(&None);
        Some(ScoreDifference::of(
            all.unwrap_or(&PairSet::default()),
            threshold,
        ))
    };
    let first_file = a.rows.first().map(|row| &row.file);
    let rows = || a.rows.iter().chain(&b.rows);
    Ok(Comparison {
        naming: Naming {
            files: rows().any(|row| Some(&row.file) != first_file),
            targets: by_target,
        },
        figures: Figures {
            summary: ComparisonSummary {
                scores: whole,
                ..summary(a, b, &matching, &cases, threshold)
            },
            targets: families::targets(&pairs, threshold),
            evaluators: families::evaluators(&pairs, threshold),
        },
        a,
        b,
        matching,
        cases,
    })
}

impl Figures {
    /// Returns the p-value of each comparison before any correction: of all cases, or of each target.
    pub(super) fn p_values(&self) -> impl Iterator<Item = f64> {
        let whole = self.summary.scores.iter();
        let whole = whole.map(|scores| scores.statistics.permutation.p_value);
        whole.chain(self.targets.iter().map(|target| target.p_value))
    }

    /// Sets the p-values, in the same order, that are corrected for the number of comparisons.
    pub(super) fn correct(&mut self, corrected: &mut impl Iterator<Item = f64>) {
        for (scores, p_value) in self.summary.scores.iter_mut().zip(&mut *corrected) {
            scores.correct(p_value);
        }
        for (target, p_value) in self.targets.iter_mut().zip(corrected) {
            target.correct(p_value);
        }
    }
}

impl Comparison<'_> {
    /// Returns all figures.
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Returns the figures of all cases.
    pub fn summary(&self) -> &ComparisonSummary {
        &self.figures.summary
    }

    /// Returns the figures of each target, if a run has several.
    pub fn targets(&self) -> &[Member] {
        &self.figures.targets
    }

    /// Returns the figures of each evaluator.
    pub fn evaluators(&self) -> &[Member] {
        &self.figures.evaluators
    }

    /// Returns the names of the matched cases that ask or grade something else now: the first few, and the
    /// number of the others.
    pub fn changed_cases(&self) -> Option<String> {
        let cases = self.cases.iter();
        let changed = cases.filter(|case| case.changed == Some(true));
        let names: Vec<String> = changed
            .map(|case| self.naming.case(&self.b.rows[case.b.start]))
            .collect();
        let listed = listed(names.iter().map(String::as_str), FEW);
        (!names.is_empty()).then_some(listed)
    }

    /// Returns the trials of a matched case in both runs.
    pub(super) fn rows(&self, case: &Case) -> (&[Row], &[Row]) {
        (&self.a.rows[case.a.clone()], &self.b.rows[case.b.clone()])
    }
}
