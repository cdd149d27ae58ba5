//! The cases that two runs share, with their trials averaged.

use std::ops::Range;

use super::matching::Matching;
use super::run::{ComparedRun, Row};

/// The matched trials of a case on one target.
#[derive(Debug, Clone)]
pub(super) struct Case {
    pub(super) trials: Range<usize>,
    /// The mean scores of both runs, or `None` if one of them has no graded trial.
    pub(super) scores: Option<(f64, f64)>,
    pub(super) changed: Option<bool>,
}

impl Case {
    pub(super) fn delta(&self) -> Option<f64> {
        self.scores.map(|(a, b)| b - a)
    }
}

/// Groups the matched trials by case and target.
pub(super) fn cases(a: &ComparedRun, b: &ComparedRun, matching: &Matching) -> Vec<Case> {
    let rows = |trial: usize| {
        let (of_a, of_b) = matching.matched[trial];
        (&a.rows[of_a], &b.rows[of_b])
    };
    let mut cases: Vec<Case> = Vec::new();
    let mut start = 0;
    while start < matching.matched.len() {
        let first = rows(start).0;
        let is_same = |row: &Row| row.case_order(first).is_eq() && row.target == first.target;
        let end = (start..matching.matched.len()).find(|trial| !is_same(rows(*trial).0));
        let end = end.unwrap_or(matching.matched.len());
        let [mut of_a, mut of_b] = [Mean::default(), Mean::default()];
        let mut changed = Some(false);
        for trial in start..end {
            let (row_a, row_b) = rows(trial);
            row_a.score().into_iter().for_each(|score| of_a.add(score));
            row_b.score().into_iter().for_each(|score| of_b.add(score));
            changed = match (changed, row_a.differs(row_b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (None, _) | (_, None) => None,
                (Some(false), Some(false)) => Some(false),
            };
        }
        cases.push(Case {
            trials: start..end,
            scores: of_a.value().zip(of_b.value()),
            changed,
        });
        start = end;
    }
    cases
}

/// The mean of a few scores.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    pub(super) fn add(&mut self, score: f64) {
        self.sum += score;
        self.count += 1;
    }

    pub(super) fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / f64::from(self.count))
    }
}
