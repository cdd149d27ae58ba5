//! The current speed of a run.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The length of the window that is considered.
const WINDOW: Duration = Duration::from_secs(15);
/// The number of trials that are considered even if they took longer.
const ENOUGH: u64 = 10;

/// The number of ended trials over time, in the recent past.
#[derive(Debug)]
pub(super) struct Throughput {
    samples: VecDeque<(Instant, u64)>,
}

impl Throughput {
    pub(super) fn new(start: Instant) -> Throughput {
        Throughput {
            samples: VecDeque::from([(start, 0)]),
        }
    }

    /// Records the number of trials that have ended. There are never more samples than calls in the
    /// window, plus those of a few trials.
    pub(super) fn record(&mut self, now: Instant, ended: u64) {
        if self.samples.back().is_some_and(|(_, last)| *last != ended) {
            self.samples.push_back((now, ended));
        }
        while let Some((next_at, next)) = self.samples.get(1).copied() {
            let old = now.saturating_duration_since(next_at) > WINDOW;
            if !old || ended.saturating_sub(next) < ENOUGH {
                break;
            }
            self.samples.pop_front();
        }
    }

    /// Returns the number of trials per second, or `None` before any ended.
    pub(super) fn rate(&self, now: Instant) -> Option<f64> {
        let (since, before) = self.samples.front()?;
        let (_, ended) = self.samples.back()?;
        let seconds = now.saturating_duration_since(*since).as_secs_f64();
        let trials = ended.saturating_sub(*before);
        (trials > 0 && seconds > 0.0).then(|| trials as f64 / seconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_recent_past() {
        let start = Instant::now();
        let mut throughput = Throughput::new(start);
        let at = |seconds: u64| start + Duration::from_secs(seconds);
        assert_eq!(throughput.rate(at(1)), None);
        (1..=60).for_each(|second| throughput.record(at(second), second));
        assert!((throughput.rate(at(60)).unwrap() - 1.0).abs() < 0.01);
        (61..=90).for_each(|second| throughput.record(at(second), 60 + (second - 60) * 100));
        assert!((throughput.rate(at(90)).unwrap() - 100.0).abs() < 1.0);
    }

    #[test]
    fn a_slow_run_has_a_rate_and_few_samples() {
        let start = Instant::now();
        let mut throughput = Throughput::new(start);
        let tick = |tick: u32| start + Duration::from_millis(100) * tick;
        for index in 0..100_000 {
            throughput.record(tick(index), u64::from(index / 300));
        }
        let rate = throughput.rate(tick(100_000)).unwrap();
        assert!((rate - 1.0 / 30.0).abs() < 0.005, "{rate}");
        assert!(
            throughput.samples.len() < 20,
            "{}",
            throughput.samples.len()
        );
        for index in 0..100_000 {
            throughput.record(tick(100_000 + index), 400 + u64::from(index));
        }
        assert!(
            throughput.samples.len() < 200,
            "{}",
            throughput.samples.len()
        );
    }
}
