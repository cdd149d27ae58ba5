//! The number of cases in which each of two runs is better.

use serde::Serialize;

use crate::Pair;
use crate::binomial::fair_coin;

/// The distance within which a difference counts as equal to a threshold, because only rounding
/// separates them.
const ROUNDING: f64 = 1e-9;

/// The number of cases in which the second of two runs is better, worse, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wins {
    /// The number of cases in which the second run is better.
    pub wins: u64,
    /// The number of cases in which it is worse.
    pub losses: u64,
    /// The number of cases that differ by less than the threshold, or not at all.
    pub ties: u64,
    /// The smallest difference of a case that counts.
    pub threshold: f64,
    /// The sign test: the probability that two equally good runs have wins and losses at least as
    /// uneven, by the two-sided binomial test, without ties. `None` if the runs have different
    /// numbers of trials, so that wins are not as likely as losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
}

/// The outcome of a case, from the point of view of the second run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairOutcome {
    /// The second run is better.
    Win,
    /// The second run is worse.
    Loss,
    /// Neither run is better.
    Tie,
}

impl PairOutcome {
    /// Returns the outcome of a case in which the second run is higher by `difference`. A
    /// difference counts from `threshold` on, but no difference at all is always a tie.
    pub fn of(difference: f64, threshold: f64) -> PairOutcome {
        let from = (threshold - ROUNDING).max(ROUNDING);
        match difference {
            difference if difference >= from => PairOutcome::Win,
            difference if difference <= -from => PairOutcome::Loss,
            _ => PairOutcome::Tie,
        }
    }
}

/// Counts the cases in which the second run is better or worse by at least `threshold`. For the
/// p-value, cases must be independent, as for [`mcnemar`](crate::mcnemar).
pub fn wins(pairs: &[Pair<'_>], threshold: f64) -> Wins {
    let (mut wins, mut losses) = (0, 0);
    for pair in pairs {
        match PairOutcome::of(pair.difference(), threshold) {
            PairOutcome::Win => wins += 1,
            PairOutcome::Loss => losses += 1,
            PairOutcome::Tie => {}
        }
    }
    Wins {
        wins,
        losses,
        ties: pairs.len() as u64 - wins - losses,
        threshold,
        p_value: Some(fair_coin(wins, losses)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_from_the_threshold_on() {
        let pair = |a, b| Pair {
            a,
            b,
            cluster: None,
        };
        let pairs = [
            pair(0.2, 0.3),
            pair(0.7, 0.6),
            pair(0.5, 0.8),
            pair(0.5, 0.5),
        ];
        let found = wins(&pairs, 0.1);
        assert_eq!((found.wins, found.losses, found.ties), (2, 1, 1));
        let found = wins(&pairs, 0.11);
        assert_eq!((found.wins, found.losses, found.ties), (1, 0, 3));
        let found = wins(&pairs, 0.0);
        assert_eq!((found.wins, found.losses, found.ties), (2, 1, 1));
        assert_eq!(found.p_value, Some(1.0));
    }
}
