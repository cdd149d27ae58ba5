//! Shards that take about the same time, by the latencies of an earlier run.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::time::Duration;

use super::digest::{digest_of, usual_index};

/// The time that each case took in an earlier run, over all its trials and targets.
#[derive(Debug, Clone, Default)]
pub struct CaseTimes {
    by_case: HashMap<u64, Duration>,
}

impl CaseTimes {
    /// Adds the time of one trial.
    pub fn add(&mut self, eval_file: &str, eval_id: &str, time: Duration) {
        let digest = digest_of(&[eval_file, eval_id]);
        let sum = self.by_case.entry(digest).or_default();
        *sum = sum.saturating_add(time);
    }

    /// Returns true if no time is known.
    pub fn is_empty(&self) -> bool {
        self.by_case.is_empty()
    }

    /// Distributes the cases over `count` shards: each one, the longest first, goes to the shard that has
    /// the least to do so far. The result depends on the times alone, so it is the same on every machine.
    ///
    /// ```
    /// use std::time::Duration;
    /// use agentv_runner::CaseTimes;
    ///
    /// let mut times = CaseTimes::default();
    /// for (id, seconds) in [("a", 6), ("b", 3), ("c", 2), ("d", 1)] {
    ///     times.add("cases.jsonl", id, Duration::from_secs(seconds));
    /// }
    /// let shards = times.balance(2);
    /// assert_eq!(shards.longest(), Duration::from_secs(6), "a, and all others together");
    /// ```
    pub fn balance(&self, count: u64) -> BalancedShards {
        let mut cases: Vec<(Duration, u64)> = self
            .by_case
            .iter()
            .map(|(case, time)| (*time, *case))
            .collect();
        cases.sort_unstable_by_key(|(time, case)| (Reverse(*time), *case));
        // No shard after the last case gets any.
        let used = count.min(cases.len() as u64);
        let mut shards: BinaryHeap<Reverse<(Duration, u64)>> = (1..=used)
            .map(|index| Reverse((Duration::ZERO, index)))
            .collect();
        let mut usual: HashMap<u64, Duration> = HashMap::new();
        let mut by_case = HashMap::with_capacity(cases.len());
        for (time, case) in cases {
            if let Some(Reverse((sum, index))) = shards.pop() {
                by_case.insert(case, index);
                shards.push(Reverse((sum.saturating_add(time), index)));
            }
            *usual.entry(usual_index(case, count)).or_default() += time;
        }
        BalancedShards {
            by_case,
            longest: shards
                .iter()
                .map(|Reverse((sum, _))| *sum)
                .max()
                .unwrap_or_default(),
            usual_longest: usual.into_values().max().unwrap_or_default(),
        }
    }
}

/// A distribution of cases over shards that take about the same time.
#[derive(Debug, Clone, Default)]
pub struct BalancedShards {
    /// The number of each case's shard, from 1, by the digest of the case.
    by_case: HashMap<u64, u64>,
    longest: Duration,
    usual_longest: Duration,
}

impl BalancedShards {
    /// Returns the number of a case's shard; `None` if its time is not known.
    pub fn index_of(&self, eval_file: &str, eval_id: &str) -> Option<u64> {
        let digest = digest_of(&[eval_file, eval_id]);
        self.by_case.get(&digest).copied()
    }

    /// Returns the time that the longest shard takes, one trial after the other.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Returns the time that the longest shard would take without balancing.
    pub fn usual_longest(&self) -> Duration {
        self.usual_longest
    }

    /// Returns a digest of the distribution.
    pub fn digest(&self) -> String {
        let mut cases: Vec<(u64, u64)> = self
            .by_case
            .iter()
            .map(|(case, index)| (*case, *index))
            .collect();
        cases.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        for (case, index) in cases {
            hasher.update(&case.to_le_bytes());
            hasher.update(&index.to_le_bytes());
        }
        hasher.finalize().to_hex()[..16].to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(seconds: &[u64]) -> CaseTimes {
        let mut times = CaseTimes::default();
        for (number, seconds) in seconds.iter().enumerate() {
            let id = format!("case-{number}");
            times.add("cases.jsonl", &id, Duration::from_secs(*seconds));
        }
        times
    }

    #[test]
    fn the_longest_case_is_placed_first() {
        // In file order, 3 and 3 and 2 would meet 2 and 2 in shards of 7 and 5.
        let shards = times(&[3, 3, 2, 2, 2]).balance(2);
        assert_eq!(shards.longest(), Duration::from_secs(7));
        let shards = times(&[1, 1, 1, 1, 4, 8]).balance(2);
        assert_eq!(shards.longest(), Duration::from_secs(8));
        let shards = times(&[10, 1]).balance(3);
        assert_eq!(shards.longest(), Duration::from_secs(10));
    }

    #[test]
    fn every_known_case_is_in_one_shard_and_others_are_unknown() {
        let shards = times(&[5, 5, 5, 5]).balance(4);
        let mut indices: Vec<u64> = (0..4)
            .filter_map(|number| shards.index_of("cases.jsonl", &format!("case-{number}")))
            .collect();
        indices.sort_unstable();
        assert_eq!(indices, [1, 2, 3, 4]);
        assert_eq!(shards.index_of("cases.jsonl", "new"), None);
        assert_eq!(shards.index_of("other.jsonl", "case-0"), None);
    }

    #[test]
    fn the_trials_of_a_case_count_together() {
        let mut times = times(&[1, 1, 1]);
        times.add("cases.jsonl", "case-2", Duration::from_secs(1));
        assert_eq!(times.balance(2).longest(), Duration::from_secs(2));
    }

    #[test]
    fn the_digest_tells_distributions_apart() {
        let digest = |seconds: &[u64], count| times(seconds).balance(count).digest();
        assert_eq!(digest(&[1, 2, 3], 2), digest(&[1, 2, 3], 2));
        assert_ne!(digest(&[1, 2, 3], 2), digest(&[1, 2, 3], 3));
        assert_ne!(digest(&[1, 2, 3], 2), digest(&[9, 2, 3], 2));
    }
}
