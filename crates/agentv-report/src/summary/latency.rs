//! Latencies in bounded memory: exact for runs of ordinary size, else counts in buckets that grow by 2%.

use super::Latency;

/// The growth of the buckets; the middle of a bucket is within 1% of all values in it.
const GROWTH: f64 = 1.02;
/// 1 / ln(GROWTH), which is not a constant expression.
const BUCKETS_PER_E: f64 = 50.498_349_791_843_9;
/// The start of the first bucket in milliseconds; smaller values are not distinguished.
const FROM_MS: f64 = 1e-3;
/// The number of buckets, enough for thirty years.
const BUCKETS: usize = 1_750;
/// The most calls whose figures are exact.
const EXACT: usize = 10_000;

#[derive(Debug, Clone)]
pub(crate) struct LatencyFold {
    count: u64,
    /// All calls, as long as there are few.
    calls: Vec<f64>,
    shortest: f64,
    longest: f64,
    buckets: Vec<u64>,
}

impl Default for LatencyFold {
    fn default() -> Self {
        LatencyFold {
            count: 0,
            calls: Vec::new(),
            shortest: f64::INFINITY,
            longest: 0.0,
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
        if self.calls.len() < EXACT {
            self.calls.push(milliseconds);
        }
        self.shortest = self.shortest.min(milliseconds);
        self.longest = self.longest.max(milliseconds);
    }

    pub(crate) fn finish(&self) -> Option<Latency> {
        let (median_ms, p95_ms) = if self.count == self.calls.len() as u64 {
            self.exact()?
        } else {
            (self.percentile(50)?, self.percentile(95)?)
        };
        Some(Latency {
            count: self.count,
            median_ms,
            p95_ms,
        })
    }

    /// Returns the median, and the value that 95% of calls do not exceed, by the nearest rank.
    fn exact(&self) -> Option<(f64, f64)> {
        let mut calls = self.calls.clone();
        calls.sort_unstable_by(f64::total_cmp);
        let count = calls.len();
        let (low, high) = (calls.get(count.checked_sub(1)? / 2)?, calls.get(count / 2)?);
        let rank = (count * 95).div_ceil(100);
        let most = calls.get(rank.checked_sub(1)?)?;
        Some((low.midpoint(*high), *most))
    }

    /// Returns the value that this percentage of calls does not exceed, by the nearest rank, to one percent.
    fn percentile(&self, percent: u64) -> Option<f64> {
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100);
        let mut reached = 0;
        let bucket = self.buckets.iter().position(|calls| {
            reached += u128::from(*calls);
            *calls > 0 && reached >= rank
        })?;
        let middle = FROM_MS * GROWTH.powf(bucket as f64 + 0.5);
        Some(middle.clamp(self.shortest, self.longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_few_calls_are_exact() {
        let mut fold = LatencyFold::default();
        for call in [306.778, 303.417, 306.066, 304.859, 306.513] {
            fold.add(call);
        }
        let latency = fold.finish().unwrap();
        assert_eq!((latency.median_ms, latency.p95_ms), (306.066, 306.778));
        // Of an even number, the median is between the two in the middle.
        let mut fold = LatencyFold::default();
        [20.0, 30.0].into_iter().for_each(|call| fold.add(call));
        let latency = fold.finish().unwrap();
        assert_eq!((latency.median_ms, latency.p95_ms), (25.0, 30.0));
    }

    #[test]
    fn percentiles_of_many_calls_are_right_to_one_percent() {
        let mut fold = LatencyFold::default();
        (1..=20_000).for_each(|call| fold.add(f64::from(call) * 7.3));
        let latency = fold.finish().unwrap();
        assert!(
            (latency.median_ms / (10_000.0 * 7.3) - 1.0).abs() < 0.01,
            "{latency:?}"
        );
        assert!(
            (latency.p95_ms / (19_000.0 * 7.3) - 1.0).abs() < 0.01,
            "{latency:?}"
        );
        let mut same = LatencyFold::default();
        (0..20_000).for_each(|_| same.add(303.0));
        let latency = same.finish().unwrap();
        assert_eq!((latency.median_ms, latency.p95_ms), (303.0, 303.0));
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
