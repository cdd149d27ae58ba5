//! The interval of a mean score that is honest about few cases.

use crate::distributions::{normal_upper, t_upper};
use crate::{Bounds, ClusteredFold, Interval, IntervalMethod, Level};

impl ClusteredFold {
    /// Returns the mean of scores from 0 to 1 with its interval, or `None` without scores. The
    /// interval is the widest of three:
    ///
    /// - [`interval`](ClusteredFold::interval), with the clusters,
    /// - the same without them, because clusters never add information,
    /// - the scores that have not been seen: if m clusters are all of one kind, up to z²/(m + z²) of
    ///   all clusters may be of another, by Wilson's interval, and their scores may be 0 or 1. For
    ///   clusters of different sizes, m is n²/Σnᵢ².
    ///
    /// So equal scores do not have an interval of width 0. A single cluster, or a single score, says
    /// nothing about how much others differ from it, so its interval is the whole range from 0 to 1: it
    /// is never narrower than that of several.
    pub fn score_interval(&self, level: Level) -> Option<Interval> {
        let mean = self.mean()?;
        let clusters = self.clusters();
        let is_grouped = clusters < self.count();
        let by_cluster = self.interval(level, Bounds::SCORE).ok();
        let reaches = [
            by_cluster.map(|found| found.standard_error.unwrap_or(0.0)),
            self.independent_error(),
        ];
        let freedoms = [clusters, self.count()];
        let reach = reaches.into_iter().zip(freedoms).filter_map(|(error, of)| {
            let freedom = of.checked_sub(1).filter(|freedom| *freedom > 0)?;
            Some(t_upper(level.tail(), freedom as f64) * error?)
        });
        // No other cluster is known, so any distance is possible.
        let reach = match clusters {
            1 => 1.0,
            _ => reach.fold(0.0, f64::max),
        };
        let effective = self.effective_clusters();
        let seen = effective / (effective + normal_upper(level.tail()).powi(2));
        Some(Interval {
            estimate: mean,
            low: (mean - reach).min(mean * seen).max(0.0),
            high: (mean + reach).max(1.0 - (1.0 - mean) * seen).min(1.0),
            level,
            n: self.count(),
            clusters: is_grouped.then_some(clusters),
            effective_n: None,
            standard_error: by_cluster.and_then(|found| found.standard_error),
            method: if is_grouped {
                IntervalMethod::TClustered
            } else {
                IntervalMethod::T
            },
        })
    }

    /// Returns the standard error of the mean as if all values were independent.
    fn independent_error(&self) -> Option<f64> {
        let variance = self.independent().variance()?;
        Some((variance / self.count() as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(scores: &[(f64, Option<&str>)]) -> [f64; 2] {
        let mut fold = ClusteredFold::new();
        scores
            .iter()
            .for_each(|(score, name)| fold.add(*score, *name));
        let found = fold.score_interval(Level::NINETY_FIVE).unwrap();
        [found.low, found.high].map(|bound| (bound * 1000.0).round() / 1000.0)
    }

    #[test]
    fn equal_scores_leave_room_for_others() {
        // As Wilson's interval of 20 of 20.
        assert_eq!(bounds(&[(1.0, None); 20]), [0.839, 1.0]);
        assert_eq!(bounds(&[(0.7, None); 20]), [0.587, 0.748]);
        let clusters = [
            (0.5, Some("a")),
            (0.5, Some("a")),
            (0.5, Some("b")),
            (0.5, Some("b")),
        ];
        assert_eq!(bounds(&clusters), [0.171, 0.829]);
    }

    #[test]
    fn one_conversation_is_never_narrower_than_two() {
        let case =
            |at: usize, clusters: usize, score: f64| (score, Some(["a", "b"][at % clusters]));
        for (first, second) in [(1.0, 0.0), (0.5, 0.5), (1.0, 1.0), (0.9, 0.3)] {
            let run = |clusters: usize| -> Vec<(f64, Option<&str>)> {
                let score = |at: usize| [first, second][at % 2];
                (0..100).map(|at| case(at, clusters, score(at))).collect()
            };
            let ([low, high], [inner_low, inner_high]) = (bounds(&run(1)), bounds(&run(2)));
            assert_eq!([low, high], [0.0, 1.0]);
            assert!(low <= inner_low && high >= inner_high);
        }
        assert_eq!(bounds(&[(0.5, None)]), [0.0, 1.0]);
    }

    #[test]
    fn a_score_just_below_one_does_not_narrow_the_interval() {
        let mut scores = [(1.0, None); 20];
        scores[0].0 = 0.99;
        assert_eq!(bounds(&scores)[0], 0.838);
    }

    #[test]
    fn clusters_do_not_narrow_the_interval() {
        let alone = [
            (1.0, None),
            (0.0, None),
            (1.0, None),
            (0.0, None),
            (0.5, None),
        ];
        let mut grouped = alone;
        grouped
            .iter_mut()
            .take(2)
            .for_each(|(_, name)| *name = Some("a"));
        let ([low, high], [inner_low, inner_high]) = (bounds(&grouped), bounds(&alone));
        assert!(low <= inner_low && high >= inner_high);
    }

    #[test]
    fn many_scores_have_the_interval_of_the_mean() {
        let scores: Vec<(f64, Option<&str>)> =
            (0..400).map(|at| (f64::from(at % 5) / 4.0, None)).collect();
        let mut fold = ClusteredFold::new();
        scores
            .iter()
            .for_each(|(score, name)| fold.add(*score, *name));
        let plain = fold.interval(Level::NINETY_FIVE, Bounds::SCORE).unwrap();
        assert_eq!(fold.score_interval(Level::NINETY_FIVE), Some(plain));
    }
}
