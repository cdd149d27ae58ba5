//! The statistics of the cases of two runs.

use std::collections::HashSet;

use serde::Serialize;

use super::families::{pairs_of, wins_of};
use super::pairs::PairSet;
use agentv_statistics::{
    Bounds, Detectable, Level, McNemar, PairedDifference, PermutationTest, Power, TooFew, Wins,
    case_permutation_test, detectable_paired_pass_rates, mcnemar, paired_difference,
};

/// The statistics of the cases of two runs, with the trials of each case averaged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Statistics {
    /// The number of cases with a grade in both runs.
    pub cases: u64,
    /// The mean difference with its interval, unless all cases differ by the same amount.
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

impl Statistics {
    pub(super) fn of(pairs: &PairSet<'_>, threshold: f64) -> Statistics {
        let scores = pairs_of(&pairs.scores);
        let difference = paired_difference(&scores, Level::NINETY_FIVE, Bounds::DIFFERENCE);
        let clusters = || scores.iter().filter_map(|pair| pair.cluster);
        let is_clustered = clusters().collect::<HashSet<_>>().len() < clusters().count();
        let has_verdicts = !pairs.is_repeated && !is_clustered;
        let discordance = pairs.passes.discordance().filter(|_| has_verdicts);
        Statistics {
            cases: scores.len() as u64,
            no_interval: match &difference {
                Ok(found) => found.no_interval(),
                Err(reason) => Some(*reason),
            },
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
}
