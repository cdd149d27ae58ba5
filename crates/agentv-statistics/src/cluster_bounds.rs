//! The bounds of a share whose trials are in clusters, such that no failure raises a bound.

use std::collections::BTreeMap;

use crate::wilson::wilson_bounds;

/// The effective number of clusters below which their differences are not estimated.
const FEW: f64 = 10.0;

/// The size of a cluster and the number of its trials that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) size: u64,
    pub(crate) passed: u64,
}

/// Clusters, counted by kind.
#[derive(Debug, Clone)]
pub(crate) struct ClusterKinds {
    kinds: BTreeMap<Kind, u64>,
    clusters: f64,
    trials: f64,
    passed: f64,
    /// The sums over clusters of size², size·passed and passed².
    sizes_squared: f64,
    crossed: f64,
    passes_squared: f64,
}

impl ClusterKinds {
    pub(crate) fn new(kinds: BTreeMap<Kind, u64>) -> ClusterKinds {
        let sum = |of: fn(&Kind) -> u64| {
            let all = kinds.iter().map(|(kind, count)| of(kind) * count);
            all.sum::<u64>() as f64
        };
        ClusterKinds {
            clusters: sum(|_| 1),
            trials: sum(|kind| kind.size),
            passed: sum(|kind| kind.passed),
            sizes_squared: sum(|kind| kind.size * kind.size),
            crossed: sum(|kind| kind.size * kind.passed),
            passes_squared: sum(|kind| kind.passed * kind.passed),
            kinds,
        }
    }

    /// Returns the same clusters with passes and failures swapped.
    pub(crate) fn mirrored(&self) -> ClusterKinds {
        let swap = |kind: &Kind| Kind {
            size: kind.size,
            passed: kind.size - kind.passed,
        };
        let kinds = self.kinds.iter();
        ClusterKinds::new(kinds.map(|(kind, count)| (swap(kind), *count)).collect())
    }

    /// Returns the number of independent trials that say as much as these.
    pub(crate) fn effective_n(&self) -> f64 {
        if self.is_even() {
            return self.fewest();
        }
        let share = self.passed / self.trials;
        self.effective(share, self.between(share))
    }

    /// Returns Wilson's lower bound with the effective sample size; the lowest of all results that
    /// have the passes of these clusters, or more.
    pub(crate) fn lower_bound(&self, z: f64) -> f64 {
        let lower = |share: f64, n: f64| wilson_bounds(share, n, z).0;
        let fewest = self.fewest();
        let mut lowest = lower(self.passed / self.trials, self.effective_n());
        lowest = lowest.min(lower(self.next_even_share(), fewest));
        let mut added = 1.0;
        while self.passed + added <= self.trials {
            let share = (self.passed + added) / self.trials;
            // Results with more passes lie above this.
            if lower(share, fewest) >= lowest {
                break;
            }
            let n = self.effective(share, self.most_between(share, added));
            lowest = lowest.min(lower(share, n));
            added += 1.0;
        }
        lowest
    }

    /// Returns the effective sample size if all trials of each cluster end alike: n²/Σnᵢ².
    fn fewest(&self) -> f64 {
        self.trials * self.trials / self.sizes_squared
    }

    /// Returns the effective sample size for a share of passes, if Σ(passedᵢ − sizeᵢ·share)² is
    /// `between`.
    fn effective(&self, share: f64, between: f64) -> f64 {
        let fewest = self.fewest();
        if fewest < FEW || share >= 1.0 {
            return fewest;
        }
        let freedom = fewest - 1.0;
        let cautious = 1.0 + (2.0 / freedom).sqrt();
        let sample = self.clusters / (self.clusters - 1.0);
        let of_independent = self.trials * share * (1.0 - share);
        let design_effect = cautious * sample * between / of_independent;
        (self.trials / design_effect).clamp(fewest, self.trials)
    }

    /// Computes Σ(passedᵢ − sizeᵢ·share)².
    fn between(&self, share: f64) -> f64 {
        self.passes_squared - 2.0 * share * self.crossed + share * share * self.sizes_squared
    }

    /// Returns an upper bound of Σ(passedᵢ − sizeᵢ·share)² after `added` failures have become
    /// passes. The sum grows most if whole clusters become passes. The last of them need not be
    /// whole, and counts by its part.
    fn most_between(&self, share: f64, added: f64) -> f64 {
        let mut gains: Vec<(f64, f64)> = self
            .kinds
            .iter()
            .filter(|(kind, _)| kind.passed < kind.size)
            .map(|(kind, count)| {
                let [size, passed] = [kind.size as f64, kind.passed as f64];
                let gain = size * (1.0 - 2.0 * share) + passed;
                (gain, ((kind.size - kind.passed) * count) as f64)
            })
            .collect();
        gains.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let mut left = added;
        let mut between = self.between(share);
        for (gain, failures) in gains {
            let turned = failures.min(left);
            between += gain * turned;
            left -= turned;
        }
        between.max(0.0)
    }

    /// Checks if all clusters have the same share of passes.
    fn is_even(&self) -> bool {
        let mut kinds = self.kinds.keys();
        let first = kinds.next();
        first.is_none_or(|first| kinds.all(|kind| compare(kind, first).is_eq()))
    }

    /// Returns the smallest share that all clusters can have with at least these passes.
    fn next_even_share(&self) -> f64 {
        let parts = self
            .kinds
            .keys()
            .fold(0, |gcd, kind| divisor(gcd, kind.size));
        let highest = self.kinds.keys().max_by(|one, other| compare(one, other));
        highest.map_or(1.0, |kind| {
            let needed = u128::from(kind.passed) * u128::from(parts);
            needed.div_ceil(u128::from(kind.size)) as f64 / parts as f64
        })
    }
}

/// Compares the shares of passes of two clusters.
fn compare(one: &Kind, other: &Kind) -> std::cmp::Ordering {
    let of = |kind: &Kind, size: u64| u128::from(kind.passed) * u128::from(size);
    of(one, other.size).cmp(&of(other, one.size))
}

/// Returns the greatest common divisor.
fn divisor(one: u64, other: u64) -> u64 {
    match other {
        0 => one,
        _ => divisor(other, one % other),
    }
}
