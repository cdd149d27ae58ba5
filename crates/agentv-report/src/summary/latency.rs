//! Latencies in bounded memory: counts in buckets that grow by 2%.

use super::Latency;

/// The growth of the buckets; the middle of a bucket is within 1% of all values in it.
const GROWTH: f64 = 1.02;
/// 1 / ln(GROWTH), which is not a constant expression.
const BUCKETS_PER_E: f64 = 50.498_349_791_843_9;
/// The start of the first bucket in milliseconds; smaller values are not distinguished.
const FROM_MS: f64 = 1e-3;
/// The number of buckets, enough for thirty years.
const BUCKETS: usize = 1_750;

#[derive(Debug, Clone)]
pub(crate) struct LatencyFold {
    count: u64,
    buckets: Vec<u64>,
}

impl Default for LatencyFold {
    fn default() -> Self {
        LatencyFold {
            count: 0,
            buckets: vec![0; BUCKETS],
        }
    }
}

impl LatencyFold {
    /// Adds a call; `milliseconds` must be finite and not negative.
    pub(crate) fn add(&mut self, milliseconds: f64) {
        let steps = (milliseconds / FROM_MS).ln() * BUCKETS_PER_E;
        // A negative or infinite number of steps becomes the nearest valid index.
        let bucket = (steps as usize).min(BUCKETS - 1);
        self.buckets[bucket] += 1;
        self.count += 1;
    }

    pub(crate) fn finish(&self) -> Option<Latency> {
        Some(Latency {
            count: self.count,
            median_ms: self.percentile(50)?,
            p95_ms: self.percentile(95)?,
        })
    }

    /// Returns the value that this percentage of calls does not exceed, by the nearest rank.
    fn percentile(&self, percent: u64) -> Option<f64> {
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100);
        let mut reached = 0;
        let bucket = self.buckets.iter().position(|calls| {
            reached += u128::from(*calls);
            *calls > 0 && reached >= rank
        })?;
        Some(FROM_MS * GROWTH.powf(bucket as f64 + 0.5))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_one_percent() {
        let mut fold = LatencyFold::default();
        (1..=1_000).for_each(|call| fold.add(f64::from(call) * 7.3));
        let latency = fold.finish().unwrap();
        assert!(
            (latency.median_ms / (500.0 * 7.3) - 1.0).abs() < 0.01,
            "{latency:?}"
        );
        assert!(
            (latency.p95_ms / (950.0 * 7.3) - 1.0).abs() < 0.01,
            "{latency:?}"
        );
    }

    #[test]
    fn the_constants_belong_together() {
        assert!((BUCKETS_PER_E * GROWTH.ln() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_call_is_too_short_or_too_long() {
        let mut fold = LatencyFold::default();
        for call in [0.0, 1e-9, f64::MAX, 1e12] {
            fold.add(call);
        }
        assert_eq!(fold.finish().unwrap().count, 4);
        assert!(LatencyFold::default().finish().is_none());
    }
}
