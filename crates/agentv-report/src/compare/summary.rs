//! The figures of a comparison.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use super::cases::{Case, mean_score};
use super::families::{means, pairs_of};
use super::judges::DifferentJudges;
use super::matching::{Matching, by_target};
use super::pairs::PairSet;
use super::run::{ComparedRun, Row};
use super::statistics::Statistics;
use agentv_statistics::{Interval, PairOutcome, is_significant};

/// The figures of a comparison, which count cases. If runs have several targets, a case counts once
/// for each.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonSummary {
    /// The number of cases in either run.
    pub total: u64,
    /// The number of cases in both runs.
    pub matched: u64,
    /// The number of these cases whose eval file has another name in the second run.
    #[serde(skip_serializing_if = "is_zero")]
    pub renamed: u64,
    /// The number of cases only in the first run.
    pub only_in_a: u64,
    /// The number of cases only in the second run.
    pub only_in_b: u64,
    /// The number of matched cases with a graded trial only in the first run: in the second, all
    /// errored or were not graded.
    pub graded_only_in_a: u64,
    /// The number of matched cases with a graded trial only in the second run.
    pub graded_only_in_b: u64,
    /// The number of matched cases without a graded trial in either run.
    pub graded_in_neither: u64,
    /// The number of cases that the first run graded and the second did not.
    pub missing: u64,
    /// The number of trials of the matched cases in the first run.
    pub trials_a: u64,
    /// The number of trials of the matched cases in the second run.
    pub trials_b: u64,
    /// The number of matched cases that ask or grade something else now.
    pub changed: u64,
    /// The number of matched cases for which that is not known.
    pub changed_unknown: u64,
    /// True if both are the same run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_one_run: bool,
    /// The smallest difference of scores that counts.
    pub threshold: f64,
    /// The number of matched cases in which the second run is better.
    pub wins: u64,
    /// The number of matched cases in which it is worse.
    pub losses: u64,
    /// The number of matched cases in which neither is better.
    pub ties: u64,
    /// The targets that only the first run has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets_only_in_a: Vec<Arc<str>>,
    /// The targets that only the second run has. They are not compared.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets_only_in_b: Vec<Arc<str>>,
    /// The targets that the first run graded, and of which no matched case has a grade in both runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets_without_grades: Vec<Arc<str>>,
    /// The judges of both runs, if they differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub different_judges: Option<DifferentJudges>,
    /// The scores of both runs, if each has one target. The average of several targets is the figure of
    /// none of them: then each target has its own.
    #[serde(flatten)]
    pub scores: Option<ScoreDifference>,
}

/// The scores of two runs on the same cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScoreDifference {
    /// The mean score of the first run on the compared cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_a: Option<f64>,
    /// The mean score of the second run on the compared cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_b: Option<f64>,
    /// The mean difference over cases, second minus first; `None` if no case has a grade in both
    /// runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_delta: Option<f64>,
    /// The probability that two equally good runs differ at least as much by chance: the
    /// permutation test, corrected by Holm's method if several runs are compared.
    pub p_value: f64,
    /// True if the difference is more than chance, by [`is_significant`].
    pub significant: bool,
    /// The statistics of the cases.
    pub statistics: Statistics,
}

impl ScoreDifference {
    pub(super) fn of(pairs: &PairSet<'_>, threshold: f64) -> ScoreDifference {
        let statistics = Statistics::of(pairs, threshold);
        let means = means(&pairs_of(&pairs.scores), statistics.difference.as_ref());
        let p_value = statistics.permutation.p_value;
        let mut scores = ScoreDifference {
            mean_a: means.map(|[mean, ..]| mean),
            mean_b: means.map(|[_, mean, _]| mean),
            mean_delta: means.map(|[.., mean]| mean),
            p_value,
            significant: false,
            statistics,
        };
        scores.correct(p_value);
        scores
    }

    /// Sets the p-value that is corrected for the number of comparisons.
    pub(super) fn correct(&mut self, p_value: f64) {
        self.p_value = p_value;
        let interval = self.interval();
        self.significant = interval.is_some_and(|found| is_significant(&found, p_value));
    }

    /// Returns the mean difference with its interval, second minus first.
    pub fn interval(&self) -> Option<Interval> {
        self.statistics.difference.map(|found| found.difference)
    }
}

impl ComparisonSummary {
    /// Returns the number of matched cases with a grade in both runs.
    pub fn compared(&self) -> u64 {
        self.wins + self.losses + self.ties
    }

    /// Checks if less than half of the shared cases have a grade in both runs, so that the
    /// comparison says little about them.
    pub fn is_mostly_without_grade(&self) -> bool {
        let ungraded = self.graded_only_in_a + self.graded_only_in_b + self.graded_in_neither;
        ungraded * 2 > self.matched
    }
}

pub(super) fn summary(
    a: &ComparedRun,
    b: &ComparedRun,
    matching: &Matching,
    cases: &[Case],
    threshold: f64,
) -> ComparisonSummary {
    let outcomes = cases.iter().filter_map(Case::delta);
    let outcomes: Vec<PairOutcome> = outcomes
        .map(|delta| PairOutcome::of(delta, threshold))
        .collect();
    let ended = |outcome: PairOutcome| outcomes.iter().filter(|other| **other == outcome).count();
    let number = |is_of_kind: &dyn Fn(&Case) -> bool| {
        cases.iter().filter(|case| is_of_kind(case)).count() as u64
    };
    let graded = |a: bool, b: bool| number(&|case| case.means.map(|mean| mean.is_some()) == [a, b]);
    let [matched, only_in_a, only_in_b] = [
        cases.len() as u64,
        matching.only_a.len() as u64,
        matching.only_b.len() as u64,
    ];
    ComparisonSummary {
        total: matched + only_in_a + only_in_b,
        matched,
        renamed: number(&|case| case.is_renamed),
        only_in_a,
        only_in_b,
        graded_only_in_a: graded(true, false),
        graded_only_in_b: graded(false, true),
        graded_in_neither: graded(false, false),
        missing: missing(a, b, matching, cases),
        trials_a: cases.iter().map(|case| case.a.len() as u64).sum(),
        trials_b: cases.iter().map(|case| case.b.len() as u64).sum(),
        changed: number(&|case| case.changed == Some(true)),
        // A case that only one run graded is not compared, so that it does not matter.
        changed_unknown: number(&|case| case.changed.is_none() && case.scores().is_some()),
        of_one_run: a.is_same(b),
        threshold,
        wins: ended(PairOutcome::Win) as u64,
        losses: ended(PairOutcome::Loss) as u64,
        ties: ended(PairOutcome::Tie) as u64,
        targets_only_in_a: targets_only_in(a, b),
        targets_only_in_b: targets_only_in(b, a),
        targets_without_grades: targets_without_grades(a, b, cases),
        different_judges: DifferentJudges::between(a, b, cases),
        scores: None,
    }
}

/// Returns the targets of a run that the other does not have, if runs are compared by target.
fn targets_only_in(run: &ComparedRun, other: &ComparedRun) -> Vec<Arc<str>> {
    let names = run.targets().iter();
    let names = names.filter(|name| by_target(run, other) && !other.has_target(name));
    names.cloned().collect()
}

/// Returns the targets that the first run graded and of which no case has a grade in both runs, if runs are
/// compared by target.
fn targets_without_grades(a: &ComparedRun, b: &ComparedRun, cases: &[Case]) -> Vec<Arc<str>> {
    let target = |case: &Case| Arc::clone(&a.rows[case.a.start].target);
    let graded = cases.iter().filter(|case| case.means[0].is_some());
    let compared = cases.iter().filter(|case| case.scores().is_some());
    let graded: HashSet<Arc<str>> = graded.map(target).collect();
    let compared: HashSet<Arc<str>> = compared.map(target).collect();
    let names = a.targets().iter().filter(|_| by_target(a, b));
    names
        .filter(|name| graded.contains(*name) && !compared.contains(*name))
        .cloned()
        .collect()
}

/// Counts the cases that the first run graded and the second did not. A case on a target that the second
/// run does not have is missing only if no other target has a grade for it.
fn missing(a: &ComparedRun, b: &ComparedRun, matching: &Matching, cases: &[Case]) -> u64 {
    let by_target = by_target(a, b);
    let key = |row: &Row| (Arc::clone(&row.file), row.id.clone());
    let first = |case: &Case| key(&a.rows[case.a.start]);
    let graded = cases.iter().filter(|case| case.means[1].is_some());
    let graded: HashSet<_> = graded.map(first).collect();
    let lost = cases
        .iter()
        .filter(|case| matches!(case.means, [Some(_), None]));
    let mut missing: HashSet<_> = lost.clone().map(first).collect();
    let mut number = lost.count() as u64;
    let not_run = matching.only_a.iter().map(|case| &a.rows[case.clone()]);
    let not_run = not_run.filter(|rows| mean_score(rows).is_some());
    let (of_targets, of_others): (Vec<_>, Vec<_>) =
        not_run.partition(|rows| !by_target || b.has_target(&rows[0].target));
    for rows in of_targets {
        missing.insert(key(&rows[0]));
        number += 1;
    }
    for rows in of_others {
        let case = key(&rows[0]);
        number += u64::from(!graded.contains(&case) && missing.insert(case));
    }
    number
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
