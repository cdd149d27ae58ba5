//! The figures of a comparison.

use std::collections::HashSet;

use serde::Serialize;

use super::cases::Case;
use super::families::means;
use super::matching::Matching;
use super::pairs::Pairs;
use super::run::ComparedRun;
use agentv_statistics::{
    Bounds, Detectable, Interval, Level, McNemar, PairOutcome, PairedDifference, PermutationTest,
    Power, TooFew, Wins, detectable_paired_pass_rates, is_significant, mcnemar, paired_difference,
    permutation_test, wins,
};

/// The figures of a comparison. `wins`, `losses` and `ties` count matched trials; the statistics
/// are of cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonSummary {
    /// The number of trials in either run.
    pub total: u64,
    /// The number of trials in both runs.
    pub matched: u64,
    /// The number of cases of these trials.
    pub matched_cases: u64,
    /// The number of trials only in the first run.
    pub only_in_a: u64,
    /// The number of trials only in the second run.
    pub only_in_b: u64,
    /// The number of matched trials without a grade in at least one of the runs: they errored, or
    /// there was nothing to grade.
    pub without_grade: u64,
    /// The number of matched trials whose case asks or grades something else now.
    pub changed: u64,
    /// The number of matched trials for which this is unknown.
    pub changed_unknown: u64,
    /// True if both are the same run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_one_run: bool,
    /// The smallest difference of scores that counts.
    pub threshold: f64,
    /// The number of matched trials in which the second run is better.
    pub wins: u64,
    /// The number of matched trials in which it is worse.
    pub losses: u64,
    /// The number of matched trials in which neither is better.
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
    /// The test of whether one run passes more cases, unless cases belong to conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcnemar: Option<McNemar>,
    /// The smallest difference of pass rates that McNemar's test detects four times out of five;
    /// `None` if too few cases pass in exactly one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detectable_pass_rate: Option<Detectable>,
    /// The test of whether one run passes more cases, if cases belong to conversations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rates: Option<PermutationTest>,
}

fn statistics(pairs: &Pairs<'_>, threshold: f64) -> Statistics {
    let difference = paired_difference(&pairs.scores, Level::NINETY_FIVE, Bounds::DIFFERENCE);
    let clusters = || pairs.scores.iter().filter_map(|pair| pair.cluster);
    let is_clustered = clusters().collect::<HashSet<_>>().len() < clusters().count();
    Statistics {
        cases: pairs.scores.len() as u64,
        no_interval: difference.err(),
        difference: difference.ok(),
        wins: wins(&pairs.scores, threshold),
        permutation: permutation_test(&pairs.scores),
        mcnemar: (!is_clustered).then(|| mcnemar(pairs.passes)),
        detectable_pass_rate: pairs
            .passes
            .discordance()
            .filter(|_| !is_clustered)
            .and_then(|share| {
                let cases = pairs.passes.cases();
                detectable_paired_pass_rates(share, cases, Level::NINETY_FIVE, Power::EIGHTY)
            }),
        pass_rates: is_clustered.then(|| permutation_test(&pairs.pass_rates)),
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
        self.statistics.cases * 2 < self.matched_cases
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
    let (mut wins, mut losses, mut ties, mut without_grade) = (0, 0, 0, 0);
    for (of_a, of_b) in &matching.matched {
        let scores = a.rows[*of_a].score().zip(b.rows[*of_b].score());
        match scores.map(|(a, b)| PairOutcome::of(b - a, threshold)) {
            None => without_grade += 1,
            Some(PairOutcome::Win) => wins += 1,
            Some(PairOutcome::Loss) => losses += 1,
            Some(PairOutcome::Tie) => ties += 1,
        }
    }
    let trials_of = |changed: Option<bool>| {
        let of_kind = cases.iter().filter(|case| case.changed == changed);
        of_kind.map(|case| case.trials.len() as u64).sum()
    };
    let [matched, only_in_a, only_in_b] = [
        matching.matched.len() as u64,
        matching.only_a.len() as u64,
        matching.only_b.len() as u64,
    ];
    let statistics = statistics(pairs, threshold);
    let means = means(&pairs.scores, statistics.difference.as_ref());
    let p_value = statistics.permutation.p_value;
    let mut summary = ComparisonSummary {
        total: matched + only_in_a + only_in_b,
        matched,
        matched_cases: pairs.cases,
        only_in_a,
        only_in_b,
        without_grade,
        changed: trials_of(Some(true)),
        changed_unknown: trials_of(None),
        of_one_run: a.is_same(b),
        threshold,
        wins,
        losses,
        ties,
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
