//! The trials of one case, and the probability that some or all of them pass.

use std::sync::Arc;

use serde::Serialize;

use crate::ScoreFold;
use crate::exact::ExactSum;

/// The graded trials of one case on one target. Errored and ungraded trials are not added, because
/// nothing is known about them.
#[derive(Debug, Clone, Default)]
pub struct CaseTrials {
    cluster: Option<Arc<str>>,
    passed: u64,
    scores: ScoreFold,
}

impl CaseTrials {
    /// Returns a case without trials. Its cluster is its `conversation_id`.
    pub fn new(cluster: Option<Arc<str>>) -> CaseTrials {
        CaseTrials {
            cluster,
            ..CaseTrials::default()
        }
    }

    /// Adds a trial with its finite score.
    pub fn add(&mut self, score: f64, passed: bool) {
        self.passed += u64::from(passed);
        self.scores.add(score);
    }

    /// Returns the cluster of the case.
    pub fn cluster(&self) -> Option<&str> {
        self.cluster.as_deref()
    }

    /// Returns the number of trials.
    pub fn trials(&self) -> u64 {
        self.scores.count()
    }

    /// Returns the number of trials that passed.
    pub fn passed(&self) -> u64 {
        self.passed
    }

    /// Returns the scores.
    pub fn scores(&self) -> &ScoreFold {
        &self.scores
    }

    /// Returns the share of trials that passed, or `None` without trials.
    pub fn pass_rate(&self) -> Option<f64> {
        let trials = self.trials();
        (trials > 0).then(|| self.passed as f64 / trials as f64)
    }

    /// Checks if the case as a whole passes: more than half of its trials pass.
    pub fn passes(&self) -> bool {
        self.passed > self.trials() - self.passed
    }
}

/// Returns the unbiased estimate of the probability that at least one of `k` trials passes, if
/// `passed` of `trials` trials did: 1 − C(n−c, k) / C(n, k). Returns `None` if `k` is 0, or if
/// there are fewer trials than `k` or than `passed`.
pub fn pass_at_k(trials: u64, passed: u64, k: u64) -> Option<f64> {
    let possible = (1..=trials).contains(&k) && passed <= trials;
    possible.then(|| match k {
        1 => passed as f64 / trials as f64,
        _ => 1.0 - none_drawn(trials, passed, k),
    })
}

/// Returns the unbiased estimate of the probability that all of `k` trials pass, pass^k: C(c, k) /
/// C(n, k). Returns `None` in the same cases as [`pass_at_k`].
pub fn pass_hat_k(trials: u64, passed: u64, k: u64) -> Option<f64> {
    let possible = (1..=trials).contains(&k) && passed <= trials;
    possible.then(|| match k {
        1 => passed as f64 / trials as f64,
        _ => none_drawn(trials, trials - passed, k),
    })
}

/// Returns the probability that `k` draws from `n` contain none of the `marked`: C(n−m, k) / C(n,
/// k), which is the same if `marked` and `k` are swapped. It is a product of factors below 1, so
/// nothing overflows, and the loop ends as soon as it reaches 0.
fn none_drawn(n: u64, marked: u64, k: u64) -> f64 {
    let (fewer, more) = (marked.min(k), marked.max(k));
    let mut share = 1.0;
    for drawn in 0..fewer {
        let left = n - drawn;
        if left <= more || share == 0.0 {
            return 0.0;
        }
        share *= (left - more) as f64 / left as f64;
    }
    share
}

/// The probability that one or all of `k` trials pass, averaged over cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PassAmongTrials {
    /// The number of trials that are considered together.
    pub k: u64,
    /// The probability that at least one of them passes.
    pub pass_at_k: f64,
    /// The probability that all of them pass.
    pub pass_hat_k: f64,
    /// The number of cases in the average.
    pub cases: u64,
    /// The number of cases that are excluded because they have fewer trials than `k`.
    pub left_out: u64,
}

/// Averages [`pass_at_k`] and [`pass_hat_k`] over the cases with at least `k` trials; returns
/// `None` if there are none.
///
/// The trials of a case must be independent, which answers from a cache are not.
pub fn pass_among<'c>(
    cases: impl IntoIterator<Item = &'c CaseTrials>,
    k: u64,
) -> Option<PassAmongTrials> {
    let (mut some, mut all) = (ExactSum::default(), ExactSum::default());
    let (mut counted, mut left_out) = (0, 0);
    for case in cases {
        let (trials, passed) = (case.trials(), case.passed);
        let (Some(at), Some(hat)) = (pass_at_k(trials, passed, k), pass_hat_k(trials, passed, k))
        else {
            left_out += 1;
            continue;
        };
        some.add(at);
        all.add(hat);
        counted += 1;
    }
    (counted > 0).then(|| PassAmongTrials {
        k,
        pass_at_k: some.mean(counted),
        pass_hat_k: all.mean(counted),
        cases: counted,
        left_out,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_draws_are_none() {
        for (trials, passed, k) in [(0, 0, 1), (3, 1, 0), (3, 1, 4), (3, 4, 2)] {
            assert_eq!(pass_at_k(trials, passed, k), None);
            assert_eq!(pass_hat_k(trials, passed, k), None);
        }
    }

    #[test]
    fn many_trials_neither_overflow_nor_take_long() {
        let many = u64::from(u32::MAX);
        assert_eq!(pass_at_k(many, many / 2, many / 2), Some(1.0));
        assert_eq!(pass_hat_k(many, many / 2, many / 2), Some(0.0));
        assert_eq!(pass_hat_k(many, many, many), Some(1.0));
    }

    #[test]
    fn a_case_passes_when_more_than_half_of_its_trials_do() {
        let mut case = CaseTrials::new(None);
        assert!(!case.passes() && case.pass_rate().is_none());
        case.add(1.0, true);
        assert!(case.passes());
        case.add(0.0, false);
        assert!(!case.passes());
        case.add(1.0, true);
        assert!(case.passes());
    }

    #[test]
    fn cases_with_fewer_trials_are_excluded_and_counted() {
        let mut cases = vec![CaseTrials::new(None); 3];
        cases[0].add(1.0, true);
        for passed in [true, false] {
            cases[1].add(f64::from(u8::from(passed)), passed);
        }
        let found = pass_among(&cases, 2).unwrap();
        assert_eq!((found.cases, found.left_out), (1, 2));
        assert_eq!((found.pass_at_k, found.pass_hat_k), (1.0, 0.0));
        assert_eq!(pass_among(&cases, 3), None);
    }
}
