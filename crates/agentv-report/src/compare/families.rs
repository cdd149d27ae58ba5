//! Several comparisons at once: one for each target, or for each evaluator.

use std::collections::BTreeMap;

use serde::Serialize;

use agentv_statistics::{
    Bounds, CasePair, Level, Pair, PairedDifference, Wins, case_permutation_test, holm,
    is_significant, paired_difference, wins,
};

/// One of several comparisons.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
    /// The target or the evaluator.
    pub name: String,
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
}

/// Computes the comparisons of a family, by name, and corrects their p-values together.
pub(super) fn family(members: &BTreeMap<&str, Vec<CasePair<'_>>>, threshold: f64) -> Vec<Member> {
    let members = members.iter().filter(|(_, pairs)| !pairs.is_empty());
    let mut family: Vec<Member> = members
        .map(|(name, pairs)| member(name, pairs, threshold))
        .collect();
    let p_values: Vec<f64> = family.iter().map(|member| member.p_value).collect();
    for (member, corrected) in family.iter_mut().zip(holm(&p_values)) {
        member.corrected_p_value = corrected;
        let difference = member.difference.as_ref();
        member.significant =
            difference.is_some_and(|found| is_significant(&found.difference, corrected));
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

fn member(name: &str, cases: &[CasePair<'_>], threshold: f64) -> Member {
    let pairs = &pairs_of(cases);
    let difference = paired_difference(pairs, Level::NINETY_FIVE, Bounds::DIFFERENCE).ok();
    let [mean_a, mean_b, mean_delta] = means(pairs, difference.as_ref()).unwrap_or_default();
    let p_value = case_permutation_test(cases).p_value;
    Member {
        name: name.to_owned(),
        cases: pairs.len() as u64,
        mean_a,
        mean_b,
        mean_delta,
        difference,
        wins: wins_of(cases, threshold),
        p_value,
        corrected_p_value: p_value,
        significant: false,
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
