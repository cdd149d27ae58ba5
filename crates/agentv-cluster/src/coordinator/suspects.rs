//! Trials whose workers were lost more than once: one at a time is in work.
//!
//! A trial that ends its worker takes others with it. If they were worked on together again, all of them would
//! look guilty. So each suspect is tried without the others, and those that were tried less often go first.

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// The number of times that a trial is given to a worker before it is a suspect.
const FREE_DELIVERIES: i64 = 2;

/// The time that others get to report before a suspect is tried again.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time after which a suspect that asks no more is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(3);

/// The suspects of a run.
#[derive(Debug, Default)]
pub(super) struct Suspects {
    /// The one in work, and its worker.
    current: Option<(String, String)>,
    waiting: HashMap<String, Waiting>,
    /// The number of times that each was tried.
    tried: HashMap<String, u32>,
}

#[derive(Debug)]
struct Waiting {
    since: Instant,
    asked: Instant,
}

impl Suspects {
    /// Returns true if a trial may be worked on now. `is_there` says if a worker is not lost.
    pub(super) fn may_begin(
        &mut self,
        key: &str,
        worker: &str,
        deliveries: i64,
        is_there: impl Fn(&str) -> bool,
    ) -> bool {
        if deliveries <= FREE_DELIVERIES {
            return true;
        }
        let now = Instant::now();
        let waiting = self.waiting.entry(key.to_owned()).or_insert(Waiting {
            since: now,
            asked: now,
        });
        waiting.asked = now;
        let since = waiting.since;
        let is_free = match &self.current {
            Some((current, of)) => current == key || !is_there(of),
            None => true,
        };
        self.waiting
            .retain(|_, waiting| waiting.asked.elapsed() < FORGOTTEN_AFTER);
        let tried = self.tried.get(key).copied().unwrap_or_default();
        let has_better = self.waiting.keys().any(|other| {
            let of_other = self.tried.get(other).copied().unwrap_or_default();
            of_other < tried
        });
        if !is_free || has_better || (tried > 0 && since.elapsed() < PATIENCE) {
            return false;
        }
        self.waiting.remove(key);
        *self.tried.entry(key.to_owned()).or_default() += 1;
        self.current = Some((key.to_owned(), worker.to_owned()));
        true
    }

    /// Lets others begin after an attempt that failed without the loss of its worker.
    pub(super) fn release(&mut self, key: &str) {
        if self.current.as_ref().is_some_and(|(of, _)| of == key) {
            self.current = None;
        }
    }

    /// Forgets a trial that has ended, or that its worker handed back.
    pub(super) fn end(&mut self, key: &str) {
        self.release(key);
        self.waiting.remove(key);
        self.tried.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_suspect_is_in_work_at_a_time_until_it_ends_or_its_worker_is_lost() {
        let mut suspects = Suspects::default();
        assert!(suspects.may_begin("a", "w", 2, |_| true), "not a suspect");
        assert!(suspects.may_begin("b", "w", 3, |_| true));
        assert!(!suspects.may_begin("c", "v", 3, |_| true));
        assert!(
            suspects.may_begin("c", "v", 3, |worker| worker != "w"),
            "its worker is lost"
        );
        assert!(!suspects.may_begin("d", "v", 3, |_| true));
        suspects.end("c");
        assert!(suspects.may_begin("d", "v", 3, |_| true));
    }

    #[test]
    fn a_suspect_whose_attempt_fails_makes_room_for_others() {
        let mut suspects = Suspects::default();
        assert!(suspects.may_begin("a", "w", 3, |_| true));
        assert!(!suspects.may_begin("b", "w", 3, |_| true));
        suspects.release("a");
        assert!(
            !suspects.may_begin("a", "w", 4, |_| true),
            "`b` was tried less"
        );
        assert!(suspects.may_begin("b", "w", 3, |_| true));
    }

    #[test]
    fn a_suspect_that_was_tried_waits_for_those_that_were_not() {
        let mut suspects = Suspects::default();
        assert!(suspects.may_begin("guilty", "w", 3, |_| true));
        // Its worker is lost. Both are delivered again.
        let is_there = |worker: &str| worker != "w";
        assert!(!suspects.may_begin("guilty", "v", 4, is_there));
        assert!(suspects.may_begin("innocent", "v", 4, is_there));
        assert!(!suspects.may_begin("guilty", "v", 4, is_there));
    }
}
