//! The mean of values in clusters, with its interval.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::distributions::t_upper;
use crate::exact::ExactSum;
use crate::fold::{ScoreFold, deviation};
use crate::{Bounds, Interval, IntervalMethod, Level, TooFew};

/// Values in clusters, such as the cases of one `conversation_id`. A value without a cluster is its
/// own cluster. The order of the values changes nothing, to the last bit. Memory grows with the
/// number of clusters, not of values.
///
/// For N values in G clusters, with Sg the sum of the ng values of a cluster and m the mean, the
/// standard error of m is √(G/(G−1) · Σg(Sg − ng·m)²) / N: the sandwich estimate CR1 of a
/// regression on a constant. If every value is its own cluster, this is s/√N. The interval is m ±
/// t·SE, with t of G−1 degrees of freedom.
///
/// It does not apply to few clusters (below about ten, it is too narrow if their sizes differ
/// much), nor to values that are all equal: they show no spread, and the interval is a single
/// point.
#[derive(Debug, Clone, Default)]
pub struct ClusteredFold {
    alone: ScoreFold,
    /// All values that have a cluster.
    grouped: ScoreFold,
    clusters: BTreeMap<Arc<str>, Cluster>,
}

#[derive(Debug, Clone, Default)]
struct Cluster {
    count: u64,
    sum: ExactSum,
}

impl ClusteredFold {
    /// Returns an empty fold.
    pub fn new() -> ClusteredFold {
        ClusteredFold::default()
    }

    /// Adds a finite value and the name of its cluster.
    pub fn add(&mut self, value: f64, cluster: Option<&str>) {
        let Some(name) = cluster else {
            return self.alone.add(value);
        };
        if !self.clusters.contains_key(name) {
            self.clusters.insert(name.into(), Cluster::default());
        }
        self.grouped.add(value);
        if let Some(cluster) = self.clusters.get_mut(name) {
            cluster.count += 1;
            cluster.sum.add(value);
        }
    }

    /// Adds all values of another fold; clusters with the same name are the same.
    pub fn merge(&mut self, other: &ClusteredFold) {
        self.alone.merge(&other.alone);
        self.grouped.merge(&other.grouped);
        for (name, theirs) in &other.clusters {
            let ours = self.clusters.entry(Arc::clone(name)).or_default();
            ours.count += theirs.count;
            ours.sum.add_sum(&theirs.sum);
        }
    }

    /// Returns the number of values.
    pub fn count(&self) -> u64 {
        self.alone.count() + self.grouped.count()
    }

    /// Returns the number of clusters, including values without a cluster.
    pub fn clusters(&self) -> u64 {
        self.alone.count() + self.clusters.len() as u64
    }

    /// Returns the number of clusters that have a name.
    pub fn named_clusters(&self) -> u64 {
        self.clusters.len() as u64
    }

    /// Returns the average, or `None` if there are no values.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0).then(|| self.total().mean(count))
    }

    /// Returns the standard error of the mean.
    pub fn standard_error(&self) -> Result<f64, TooFew> {
        let (count, clusters) = (self.count(), self.clusters());
        match (count, clusters) {
            (0, _) => return Err(TooFew::NoValues),
            (1, _) => return Err(TooFew::OneValue),
            (_, 1) => return Err(TooFew::OneCluster),
            _ => (),
        }
        let total = self.total();
        let mut squares = ExactSum::default();
        squares.add(self.alone.spread_about(&total, count));
        for cluster in self.clusters.values() {
            let residual = deviation(&cluster.sum, cluster.count, &total, count);
            squares.add_product(residual, residual);
        }
        let correction = clusters as f64 / (clusters - 1) as f64;
        Ok((correction * squares.value()).sqrt() / count as f64)
    }

    /// Returns the mean with its interval, clipped to `bounds`.
    pub fn interval(&self, level: Level, bounds: Bounds) -> Result<Interval, TooFew> {
        let standard_error = self.standard_error()?;
        let estimate = self.mean().ok_or(TooFew::NoValues)?;
        let clusters = self.clusters();
        let reach = t_upper(level.tail(), (clusters - 1) as f64) * standard_error;
        let grouped = clusters < self.count();
        Ok(Interval {
            estimate,
            low: (estimate - reach).max(bounds.low),
            high: (estimate + reach).min(bounds.high),
            level,
            n: self.count(),
            clusters: grouped.then_some(clusters),
            effective_n: None,
            standard_error: Some(standard_error),
            method: if grouped {
                IntervalMethod::TClustered
            } else {
                IntervalMethod::T
            },
        })
    }

    /// Returns the values without their clusters.
    pub(crate) fn independent(&self) -> ScoreFold {
        let mut all = self.alone.clone();
        all.merge(&self.grouped);
        all
    }

    /// Returns the number of clusters of one size that say as much as these, if the values of a
    /// cluster are equal: n²/Σnᵢ².
    pub(crate) fn effective_clusters(&self) -> f64 {
        let squares = self.clusters.values().map(|cluster| cluster.count.pow(2));
        let squares = self.alone.count() + squares.sum::<u64>();
        (self.count() as f64).powi(2) / squares as f64
    }

    fn total(&self) -> ExactSum {
        let mut total = self.alone.exact_sum().clone();
        total.add_sum(self.grouped.exact_sum());
        total
    }
}

/// Returns the mean of scores from 0 to 1 with its interval; each score comes with the name of its
/// cluster.
pub fn mean_score<'c>(
    scores: impl IntoIterator<Item = (f64, Option<&'c str>)>,
    level: Level,
) -> Result<Interval, TooFew> {
    let mut fold = ClusteredFold::new();
    for (score, cluster) in scores {
        fold.add(score, cluster);
    }
    fold.interval(level, Bounds::SCORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(scores: &[(f64, Option<&str>)]) -> Result<Interval, TooFew> {
        mean_score(scores.iter().copied(), Level::NINETY_FIVE)
    }

    #[test]
    fn too_few_say_which() {
        assert_eq!(mean(&[]), Err(TooFew::NoValues));
        assert_eq!(mean(&[(0.5, None)]), Err(TooFew::OneValue));
        assert_eq!(mean(&[(0.5, Some("a"))]), Err(TooFew::OneValue));
        let one_cluster = [(0.5, Some("a")), (1.0, Some("a"))];
        assert_eq!(mean(&one_cluster), Err(TooFew::OneCluster));
        assert!(mean(&[(0.5, Some("a")), (1.0, None)]).is_ok());
    }

    #[test]
    fn equal_scores_in_clusters_have_no_spread() {
        let scores = [(0.1, Some("a")), (0.1, Some("a")), (0.1, None)];
        let interval = mean(&scores).unwrap();
        assert_eq!(interval.standard_error, Some(0.0));
        assert_eq!((interval.low, interval.high), (0.1, 0.1));
    }

    #[test]
    fn clusters_with_equal_scores_count_as_one_case_each() {
        let once = [(0.2, None), (0.9, None), (0.4, None)];
        let names = ["a", "b", "c"];
        let repeated: Vec<_> = once
            .iter()
            .zip(names)
            .flat_map(|((score, _), name)| [(*score, Some(name)); 50])
            .collect();
        let (once, repeated) = (mean(&once).unwrap(), mean(&repeated).unwrap());
        assert!((once.low - repeated.low).abs() < 1e-12);
        assert!((once.high - repeated.high).abs() < 1e-12);
        assert_eq!((repeated.n, repeated.clusters), (150, Some(3)));
    }
}
