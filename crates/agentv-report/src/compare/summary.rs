//! The figures of a comparison.

use std::collections::HashSet;

use serde::Serialize;

use super::cases::{Case, mean_score};
use super::families::{means, pairs_of, wins_of};
use super::matching::Matching;
use super::pairs::Pairs;
use super::run::ComparedRun;
use agentv_statistics::{
    Bounds, Detectable, Interval, Level, McNemar, PairOutcome, PairedDifference, PermutationTest,
    Power, TooFew, Wins, case_permutation_test, detectable_paired_pass_rates, is_significant,
    mcnemar, paired_difference,
};

/// The figures of a comparison, which count cases. If runs have several targets, a case counts once
/// for each; the statistics average them.
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

/// The statistics of the cases of two runs, with the trials and targets of each case averaged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// The number of cases with a grade in both runs.
    pub cases: u64,
    /// The mean difference with its interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PairedDifference>,
    /// The reason why there is no interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_interval: Option<TooFew>,
    /// The number of cases in which each run is better.
    pub wins: Wins,
    /// The test of whether one run scores higher.
    pub permutation: PermutationTest,
    /// The test of whether one run passes more cases, if each case has a single trial and belongs
    /// to no conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcnemar: Option<McNemar>,
    /// The smallest difference of pass rates that McNemar's test detects four times out of five;
    /// `None` if too few cases pass in exactly one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable_pass_rate: Option<Detectable>,
    /// The test of whether one run passes more often, if cases have several trials or belong to
    /// conversations: a case with several trials has a pass rate, not a verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rates: Option<PermutationTest>,
}

fn statistics(pairs: &Pairs<'_>, threshold: f64) -> Statistics {
    let scores = pairs_of(&pairs.scores);
    let difference = paired_difference(&scores, Level::NINETY_FIVE, Bounds::DIFFERENCE);
    let clusters = || scores.iter().filter_map(|pair| pair.cluster);
    let is_clustered = clusters().collect::<HashSet<_>>().len() < clusters().count();
    let has_verdicts = pairs.is_single && !is_clustered;
    let discordance = pairs.passes.discordance().filter(|_| has_verdicts);
    Statistics {
        cases: scores.len() as u64,
        no_interval: difference.err(),
        difference: difference.ok(),
        wins: wins_of(&pairs.scores, threshold),
        permutation: case_permutation_test(&pairs.scores),
        mcnemar: has_verdicts.then(|| mcnemar(pairs.passes)),
        detectable_pass_rate: discordance.and_then(|share| {
            let cases = pairs.passes.cases();
            detectable_paired_pass_rates(share, cases, Level::NINETY_FIVE, Power::EIGHTY)
        }),
        pass_rates: (!has_verdicts).then(|| case_permutation_test(&pairs.pass_rates)),
    }
}

impl ComparisonSummary {
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
    pairs: &Pairs<'_>,
    threshold: f64,
) -> ComparisonSummary {
    let outcomes = cases.iter().filter_map(Case::delta);
    let outcomes: Vec<PairOutcome> = outcomes
        .map(|delta| PairOutcome::of(delta, threshold))
        .collect();
    let ended = |outcome: PairOutcome| outcomes.iter().filter(|other| **other == outcome).count();
    let graded = |a: bool, b: bool| {
        let of_kind = |case: &&Case| case.means.map(|mean| mean.is_some()) == [a, b];
        cases.iter().filter(of_kind).count() as u64
    };
    let changed = |changed: Option<bool>| {
        let of_kind = |case: &&Case| case.changed == changed;
        cases.iter().filter(of_kind).count() as u64
    };
    let [matched, only_in_a, only_in_b] = [
        cases.len() as u64,
        matching.only_a.len() as u64,
        matching.only_b.len() as u64,
    ];
    let lost = matching.only_a.iter();
    let lost = lost.filter(|case| mean_score(&a.rows[(*case).clone()]).is_some());
    let statistics = statistics(pairs, threshold);
    let means = means(&pairs_of(&pairs.scores), statistics.difference.as_ref());
    let p_value = statistics.permutation.p_value;
    let mut summary = ComparisonSummary {
        total: matched + only_in_a + only_in_b,
        matched,
        renamed: cases.iter().filter(|case| case.is_renamed).count() as u64,
        only_in_a,
        only_in_b,
        graded_only_in_a: graded(true, false),
        graded_only_in_b: graded(false, true),
        graded_in_neither: graded(false, false),
        missing: lost.count() as u64 + graded(true, false),
        trials_a: cases.iter().map(|case| case.a.len() as u64).sum(),
        trials_b: cases.iter().map(|case| case.b.len() as u64).sum(),
        changed: changed(Some(true)),
        changed_unknown: changed(None),
        of_one_run: a.is_same(b),
        threshold,
        wins: ended(PairOutcome::Win) as u64,
        losses: ended(PairOutcome::Loss) as u64,
        ties: ended(PairOutcome::Tie) as u64,
        mean_a: means.map(|[mean, ..]| mean),
        mean_b: means.map(|[_, mean, _]| mean),
        mean_delta: means.map(|[.., mean]| mean),
        p_value,
        significant: false,
        statistics,
    };
    summary.correct(p_value);
    summary
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
