//! Several comparisons at once: one for each target, or for each evaluator.

use serde::Serialize;

use agentv_statistics::{
    Bounds, CasePair, Level, Pair, PairedDifference, Wins, case_permutation_test, holm,
    is_significant, paired_difference, wins,
};

use super::pairs::Pairs;
use super::statistics::Statistics;

/// One of several comparisons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// The target or the evaluator.
    pub name: String,
    /// The target of an evaluator, if runs have several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The number of compared cases.
    pub cases: u64,
    /// The mean of the first run.
    pub mean_a: f64,
    /// The mean of the second run.
    pub mean_b: f64,
    /// The second mean minus the first.
    pub mean_delta: f64,
    /// The difference with its interval; `None` for a single case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<PairedDifference>,
    /// The number of cases in which each run is better.
    pub wins: Wins,
    /// The probability that two equally good runs differ at least as much by chance: the
    /// permutation test.
    pub p_value: f64,
    /// The p-value, corrected by Holm's method for the number of comparisons.
    pub corrected_p_value: f64,
    /// True if the difference is more than chance, by [`is_significant`] of the corrected p-value.
    pub significant: bool,
    /// The statistics of the cases of a target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
}

impl Member {
    /// Sets the p-value that is corrected for the number of comparisons.
    pub(super) fn correct(&mut self, p_value: f64) {
        self.corrected_p_value = p_value;
        let difference = self.difference.as_ref();
        self.significant =
            difference.is_some_and(|found| is_significant(&found.difference, p_value));
    }
}

/// Compares the targets, by name, and corrects their p-values together.
pub(super) fn targets(pairs: &Pairs<'_>, threshold: f64) -> Vec<Member> {
    let targets = pairs.targets.iter();
    let targets = targets.filter_map(|(name, set)| {
        let member = member((*name)?, None, &set.scores, threshold);
        Some(Member {
            statistics: Some(Statistics::of(set, threshold)),
            ..member
        })
    });
    corrected(targets.collect())
}

/// Compares the evaluators, by name and target, and corrects their p-values together.
pub(super) fn evaluators(pairs: &Pairs<'_>, threshold: f64) -> Vec<Member> {
    let members = pairs.evaluators.iter();
    let members = members.filter(|(_, pairs)| !pairs.is_empty());
    let members = members.map(|((name, target), pairs)| member(name, *target, pairs, threshold));
    corrected(members.collect())
}

fn corrected(mut family: Vec<Member>) -> Vec<Member> {
    let p_values: Vec<f64> = family.iter().map(|member| member.p_value).collect();
    for (member, corrected) in family.iter_mut().zip(holm(&p_values)) {
        member.correct(corrected);
    }
    family
}

/// Returns the pairs of some cases without their trials.
pub(super) fn pairs_of<'c>(cases: &[CasePair<'c>]) -> Vec<Pair<'c>> {
    cases.iter().map(|case| case.pair).collect()
}

/// Counts wins and losses. If the runs have different numbers of trials, the sign test does not
/// apply.
pub(super) fn wins_of(cases: &[CasePair<'_>], threshold: f64) -> Wins {
    let is_uneven = |case: &CasePair<'_>| {
        let trials = case.trials.as_ref();
        trials.is_some_and(|trials| trials.a.len() != trials.b.len())
    };
    let found = wins(&pairs_of(cases), threshold);
    let p_value = found.p_value.filter(|_| !cases.iter().any(is_uneven));
    Wins { p_value, ..found }
}

fn member(name: &str, target: Option<&str>, cases: &[CasePair<'_>], threshold: f64) -> Member {
    let pairs = &pairs_of(cases);
    let difference = paired_difference(pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE).ok();
    let [mean_a, mean_b, mean_delta] = means(pairs, difference.as_ref()).unwrap_or_default();
    let p_value = case_permutation_test(cases).p_value;
    Member {
        name: name.to_owned(),
        target: target.map(str::to_owned),
        cases: pairs.len() as u64,
        mean_a,
        mean_b,
        mean_delta,
        difference,
        wins: wins_of(cases, threshold),
        p_value,
        corrected_p_value: p_value,
        significant: false,
        statistics: None,
    }
}

/// Returns the means of both runs and of their differences, or `None` without values.
pub(super) fn means(pairs: &[Pair<'_>], difference: Option<&PairedDifference>) -> Option<[f64; 3]> {
    if let Some(found) = difference {
        return Some([found.mean_a, found.mean_b, found.difference.estimate]);
    }
    let mean = |of: fn(&Pair<'_>) -> f64| {
        let mut fold = agentv_statistics::ScoreFold::new();
        pairs.iter().for_each(|pair| fold.add(of(pair)));
        fold.mean()
    };
    let [a, b] = [mean(|pair| pair.a)?, mean(|pair| pair.b)?];
    Some([a, b, mean(|pair| pair.difference())?])
}
