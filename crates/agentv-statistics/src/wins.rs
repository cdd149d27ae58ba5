//! In how many cases each of two runs is better.

use serde::Serialize;

use crate::Pair;
use crate::binomial::fair_coin;

/// Differences of scores nearer than this to a threshold are on it: they are told apart only by how
/// numbers are rounded.
const ROUNDING: f64 = 1e-9;

/// In how many cases the second of two runs is better, worse, or neither.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Wins {
    /// How many cases the second run is better in.
    pub wins: u64,
    /// How many it is worse in.
    pub losses: u64,
    /// How many cases differ by less than the threshold, or not at all.
    pub ties: u64,
    /// How far a case has to differ to count.
    pub threshold: f64,
    /// The sign test: how often runs that are as good have wins and losses at least as uneven, by
    /// the two-sided binomial test, ties left out.
    pub p_value: f64,
}

/// Which of two runs is better in a case, seen from the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairOutcome {
    /// The second is better.
    Win,
    /// The second is worse.
    Loss,
    /// Neither is.
    Tie,
}

impl PairOutcome {
    /// The outcome of a case in which the second run is higher by `difference`: it counts from
    /// `threshold` on, but for no difference at all, which is a tie whatever the threshold.
    pub fn of(difference: f64, threshold: f64) -> PairOutcome {
        let from = (threshold - ROUNDING).max(ROUNDING);
        match difference {
            difference if difference >= from => PairOutcome::Win,
            difference if difference <= -from => PairOutcome::Loss,
            _ => PairOutcome::Tie,
        }
    }
}

/// Counts the cases in which the second run is better or worse by `threshold` or more. Cases are
/// to be independent for the p-value, as for [`mcnemar`](crate::mcnemar).
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
        p_value: fair_coin(wins, losses),
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
        assert_eq!(found.p_value, 1.0);
    }
}
