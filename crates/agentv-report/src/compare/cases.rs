//! The cases that two runs share, with their trials averaged.

use std::ops::Range;

use super::matching::{Matched, Matching};
use super::run::{ComparedRun, Row};

/// A case on one target in two runs.
#[derive(Debug, Clone)]
pub(super) struct Case {
    /// Its trials in the first run.
    pub(super) a: Range<usize>,
    /// Its trials in the second run.
    pub(super) b: Range<usize>,
    /// The mean scores of both runs; `None` if a run has no graded trial.
    pub(super) means: [Option<f64>; 2],
    /// The numbers of graded trials of both runs.
    graded: [usize; 2],
    pub(super) changed: Option<bool>,
    /// True if the eval file has another name in the second run.
    pub(super) is_renamed: bool,
}

impl Case {
    /// Returns the mean scores, if both runs have one.
    pub(super) fn scores(&self) -> Option<(f64, f64)> {
        let [a, b] = self.means;
        a.zip(b)
    }

    pub(super) fn delta(&self) -> Option<f64> {
        self.scores().map(|(a, b)| b - a)
    }

    /// Checks if the runs have different numbers of graded trials.
    pub(super) fn is_uneven(&self) -> bool {
        self.graded[0] != self.graded[1]
    }
}

/// Averages the trials of the matched cases.
pub(super) fn cases(a: &ComparedRun, b: &ComparedRun, matching: &Matching) -> Vec<Case> {
    let matched = matching.matched.iter();
    matched.map(|matched| case(a, b, matched)).collect()
}

fn case(a: &ComparedRun, b: &ComparedRun, matched: &Matched) -> Case {
    let (rows_a, rows_b) = (&a.rows[matched.a.clone()], &b.rows[matched.b.clone()]);
    Case {
        a: matched.a.clone(),
        b: matched.b.clone(),
        means: [rows_a, rows_b].map(mean_score),
        graded: [rows_a, rows_b].map(|rows| rows.iter().filter_map(Row::score).count()),
        changed: changed(rows_a, rows_b),
        is_renamed: matched.is_renamed,
    }
}

/// Returns the mean score of the graded trials.
pub(super) fn mean_score(rows: &[Row]) -> Option<f64> {
    mean(rows.iter().filter_map(Row::score))
}

/// Checks if a case asks or grades something else now; returns `None` if that is not known.
pub(super) fn changed(a: &[Row], b: &[Row]) -> Option<bool> {
    let same = a.iter().zip(b).any(|(a, b)| a.differs(b) == Some(false));
    if same {
        Some(false)
    } else {
        a.first()?.differs(b.first()?)
    }
}

/// Returns the average of a few values.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0u32);
    for value in values {
        sum += value;
        count += 1;
    }
    (count > 0).then(|| sum / f64::from(count))
}
