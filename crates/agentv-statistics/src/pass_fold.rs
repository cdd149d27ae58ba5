//! The pass rate of trials in clusters, with its interval.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster_bounds::{ClusterKinds, Kind};
use crate::distributions::normal_upper;
use crate::{Interval, IntervalMethod, Level, pass_rate};

/// Trials that pass or fail, in clusters: the trials of a case, or the cases of a conversation. A
/// trial without a cluster is its own cluster. Memory grows with the number of clusters, not of
/// trials.
///
/// The interval is Wilson's, with an effective sample size in place of the number of trials:
///
/// - Without clusters, it is the number of trials, and the interval is that of [`pass_rate`].
/// - It is never below n²/Σnᵢ² for clusters of nᵢ trials, which is the number of clusters if all are
///   of one size. That is the right size if all trials of a cluster end alike. It is used as it is
///   if it is below 10, or if all clusters have the same share of passes, because then the trials
///   say nothing about how clusters differ.
/// - Otherwise it is n/D. The design effect D compares the variance of the rate between the clusters
///   with that of independent trials, p(1 − p)/n. It is raised by one standard error, because it is
///   estimated, and is at least 1: clusters never narrow an interval.
///
/// One more failure can lower D, and so could raise the lower bound. Therefore the lower bound is
/// the lowest of all results that have at least these passes, and the upper bound the highest of
/// all that have at most these. No failure ever raises a bound, and no pass ever lowers one.
#[derive(Debug, Clone, Default)]
pub struct PassFold {
    alone: Tally,
    clusters: BTreeMap<Arc<str>, Tally>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    trials: u64,
    passed: u64,
}

impl Tally {
    fn add(&mut self, passed: bool) {
        self.trials += 1;
        self.passed += u64::from(passed);
    }
}

impl PassFold {
    /// Returns an empty fold.
    pub fn new() -> PassFold {
        PassFold::default()
    }

    /// Adds a trial and the name of its cluster.
    pub fn add(&mut self, passed: bool, cluster: Option<&str>) {
        let Some(name) = cluster else {
            return self.alone.add(passed);
        };
        if !self.clusters.contains_key(name) {
            self.clusters.insert(name.into(), Tally::default());
        }
        if let Some(tally) = self.clusters.get_mut(name) {
            tally.add(passed);
        }
    }

    /// Returns the number of trials.
    pub fn trials(&self) -> u64 {
        self.alone.trials + self.clusters.values().map(|c| c.trials).sum::<u64>()
    }

    /// Returns the number of trials that passed.
    pub fn passed(&self) -> u64 {
        self.alone.passed + self.clusters.values().map(|c| c.passed).sum::<u64>()
    }

    /// Returns the number of clusters, including trials without a cluster.
    pub fn clusters(&self) -> u64 {
        self.alone.trials + self.clusters.len() as u64
    }

    /// Returns the pass rate with its interval, or `None` without trials.
    pub fn interval(&self, level: Level) -> Option<Interval> {
        let (trials, passed) = (self.trials(), self.passed());
        let clusters = self.clusters();
        if clusters == trials {
            return pass_rate(passed, trials, level);
        }
        let kinds = self.kinds();
        let z = normal_upper(level.tail());
        let estimate = passed as f64 / trials as f64;
        Some(Interval {
            estimate,
            low: kinds.lower_bound(z).min(estimate),
            high: (1.0 - kinds.mirrored().lower_bound(z)).max(estimate),
            level,
            n: trials,
            clusters: Some(clusters),
            effective_n: Some(kinds.effective_n()),
            standard_error: None,
            method: IntervalMethod::WilsonClustered,
        })
    }

    fn kinds(&self) -> ClusterKinds {
        let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
        let mut count = |size, passed, clusters| {
            if clusters > 0 {
                *kinds.entry(Kind { size, passed }).or_default() += clusters;
            }
        };
        count(1, 1, self.alone.passed);
        count(1, 0, self.alone.trials - self.alone.passed);
        for tally in self.clusters.values() {
            count(tally.trials, tally.passed, 1);
        }
        ClusterKinds::new(kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the interval of clusters of (trials, passed), in percent with one decimal.
    fn percent(clusters: &[(u64, u64)]) -> [f64; 2] {
        let mut fold = PassFold::new();
        for (at, (trials, passed)) in clusters.iter().enumerate() {
            let name = at.to_string();
            (0..*trials).for_each(|trial| fold.add(trial < *passed, Some(&name)));
        }
        let found = fold.interval(Level::NINETY_FIVE).unwrap();
        [found.low, found.high].map(|share| (share * 1000.0).round() / 10.0)
    }

    #[test]
    fn clusters_that_all_end_alike_count_once_each() {
        assert_eq!(percent(&[(2, 2); 10]), [72.2, 100.0]);
        assert_eq!(percent(&[(2, 0); 10]), [0.0, 27.8]);
        assert_eq!(percent(&[(5, 0)]), [0.0, 79.3]);
        // Two conversations, each with half of its 50 cases passing.
        assert_eq!(percent(&[(50, 25); 2]), [9.5, 90.5]);
    }

    #[test]
    fn a_failure_among_passes_does_not_raise_the_lower_bound() {
        let mut clusters = vec![(2, 2); 10];
        clusters[0] = (2, 1);
        let [low, high] = percent(&clusters);
        assert_eq!(low, 70.0);
        assert!(high > 95.0 && high < 100.0, "{high}");
    }

    #[test]
    fn trials_that_differ_within_cases_narrow_the_interval() {
        // 100 cases of 4 trials, each passing twice or so: the trials are nearly independent.
        let clusters: Vec<(u64, u64)> = (0..100).map(|at| (4, 1 + at % 3)).collect();
        let [low, high] = percent(&clusters);
        let by_case = pass_rate(50, 100, Level::NINETY_FIVE).unwrap();
        assert!(high - low < 100.0 * (by_case.high - by_case.low) * 0.8);
        let independent = pass_rate(199, 400, Level::NINETY_FIVE).unwrap();
        assert!(low <= 100.0 * independent.low + 0.05);
        assert!(high >= 100.0 * independent.high - 0.05);
    }

    #[test]
    fn trials_without_clusters_have_the_plain_interval() {
        let mut fold = PassFold::new();
        (0..20).for_each(|trial| fold.add(trial > 0, None));
        assert_eq!(
            fold.interval(Level::NINETY_FIVE),
            pass_rate(19, 20, Level::NINETY_FIVE)
        );
        assert_eq!(PassFold::new().interval(Level::NINETY_FIVE), None);
    }
}
