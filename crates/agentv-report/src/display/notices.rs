//! The notices that are shown during a run, and their limit.

use std::time::{Duration, Instant};

use agentv_core::{RunEvent, Status};

use super::notice::{Notice, trial_name};
use crate::Clock;

/// The length of a window in which the number of notices of a kind is limited.
const WINDOW: Duration = Duration::from_secs(10);
/// The number of notices in a window.
const MOST: u64 = 20;

/// The kinds of notices to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Errored trials only.
    Errors,
    /// Failed and errored trials.
    Failures,
    /// Failed and errored trials, retries, and the steps of agents.
    All,
}

/// The notices to show. There are never more than a few; the others are counted.
#[derive(Debug)]
pub(super) struct Notices {
    wanted: Wanted,
    waiting: Vec<Notice>,
    endings: Throttle,
    retries: Throttle,
    activities: Throttle,
    several_targets: bool,
}

impl Notices {
    pub(super) fn new(wanted: Wanted, several_targets: bool, now: Instant) -> Notices {
        Notices {
            wanted,
            waiting: Vec::new(),
            endings: Throttle::new(now),
            retries: Throttle::new(now),
            activities: Throttle::new(now),
            several_targets,
        }
    }

    pub(super) fn on_event(&mut self, event: &RunEvent, clock: &Clock) {
        match event {
            RunEvent::Finished { record, reused } => {
                let is_notable = match record.status {
                    Status::Error => true,
                    Status::Fail => self.wanted != Wanted::Errors,
                    Status::Pass | Status::Borderline | Status::Ungraded => false,
                };
                // Trials of an earlier run are not news.
                if is_notable && !reused && self.endings.admits(clock.now()) {
                    let target = self.several_targets.then_some(&*record.target);
                    self.waiting.push(Notice::ended(record, target));
                }
            }
            RunEvent::Retrying {
                trial,
                asked,
                attempt,
                reason,
                wait_ms,
            } => {
                if self.wanted == Wanted::All && self.retries.admits(clock.now()) {
                    let target = self.several_targets.then_some(&**asked);
                    let name = trial_name(&trial.eval_id, target, 1);
                    let wait = Duration::try_from_secs_f64(wait_ms / 1e3).unwrap_or_default();
                    self.waiting
                        .push(Notice::retrying(name, *attempt, wait, reason));
                }
            }
            RunEvent::Stopping { reason } => {
                if self.wanted != Wanted::Errors {
                    self.waiting.push(Notice::Stopping { stop: *reason });
                }
            }
            RunEvent::Noticed { message } => {
                if self.wanted != Wanted::Errors {
                    self.waiting.push(Notice::remark(message));
                }
            }
            RunEvent::Active { trial, activity } => {
                if self.wanted == Wanted::All && self.activities.admits(clock.now()) {
                    let target = self.several_targets.then_some(&*trial.target);
                    let name = trial_name(&trial.eval_id, target, trial.trial);
                    let tool = activity.tool.as_deref().unwrap_or("says");
                    let text = format!("{name}: {tool} {}", activity.detail);
                    self.waiting.push(Notice::remark(&text));
                }
            }
            RunEvent::Planned(_)
            | RunEvent::Started(_)
            | RunEvent::Workers { .. }
            | RunEvent::Abandoned(_) => {}
        }
    }

    /// Returns the notices since the last call. The number of omitted ones is reported at the end
    /// of a window and on the last call.
    pub(super) fn take(&mut self, now: Instant, last: bool) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut self.waiting);
        let what = match self.wanted {
            Wanted::Errors => "errors",
            Wanted::Failures | Wanted::All => "failures and errors",
        };
        let mut more = |throttle: &mut Throttle, what| {
            let number = throttle.suppressed(now, last);
            notices.extend(number.map(|number| Notice::More { number, what }));
        };
        more(&mut self.endings, what);
        more(&mut self.retries, "retries");
        more(&mut self.activities, "steps of agents");
        notices
    }
}

/// A limit for a window of time, which counts the events beyond it.
#[derive(Debug)]
struct Throttle {
    window_start: Instant,
    admitted: u64,
    suppressed: u64,
}

impl Throttle {
    fn new(now: Instant) -> Throttle {
        Throttle {
            window_start: now,
            admitted: 0,
            suppressed: 0,
        }
    }

    fn admits(&mut self, now: Instant) -> bool {
        // A window with omitted events ends when their number is reported.
        if self.suppressed == 0 && self.is_over(now) {
            *self = Throttle::new(now);
        }
        let admits = self.admitted < MOST && self.suppressed == 0;
        if admits {
            self.admitted += 1
        } else {
            self.suppressed += 1
        }
        admits
    }

    /// Returns the number of omitted events if the window is over or `last` is set.
    fn suppressed(&mut self, now: Instant, last: bool) -> Option<u64> {
        if self.suppressed == 0 || !(last || self.is_over(now)) {
            return None;
        }
        let suppressed = self.suppressed;
        *self = Throttle::new(now);
        Some(suppressed)
    }

    fn is_over(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.window_start) >= WINDOW
    }
}
