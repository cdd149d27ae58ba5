//! In how many cases each of two runs is better.

use serde::Serialize;

use super::Pair;
use super::binomial::fair_coin;

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
    /// How many cases differ by no more than the threshold.
    pub ties: u64,
    /// How far a case has to differ to count.
    pub threshold: f64,
    /// The sign test: how often runs that are as good have wins and losses at least as uneven, by
    /// the two-sided binomial test, ties left out.
    pub p_value: f64,
}

/// Counts the cases in which the second run is better or worse by more than `threshold`. Cases are
/// to be independent for the p-value, as for [`mcnemar`](super::mcnemar).
pub fn wins(pairs: &[Pair<'_>], threshold: f64) -> Wins {
    let beyond = threshold + ROUNDING;
    let (mut wins, mut losses) = (0, 0);
    for pair in pairs {
        wins += u64::from(pair.difference() > beyond);
        losses += u64::from(pair.difference() < -beyond);
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
    fn a_difference_on_the_threshold_is_a_tie() {
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
        assert_eq!((found.wins, found.losses, found.ties), (1, 0, 3));
        let found = wins(&pairs, 0.0);
        assert_eq!((found.wins, found.losses, found.ties), (2, 1, 1));
        assert_eq!(found.p_value, 1.0);
    }
}
