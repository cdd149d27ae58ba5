//! The progress of a run at one moment, in words.

use std::time::Duration;

use agentv_core::Status;

use super::progress::Progress;
use crate::figures::{count, duration, rate};
use crate::style::{Paint, Style};

/// The progress of a run at one moment.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) progress: Progress,
    /// A line for each running agent.
    pub(super) agents: Vec<String>,
    /// Trials per second, if known.
    pub(super) rate: Option<f64>,
    pub(super) elapsed: Duration,
}

/// A figure in words and, if there is no room for words, with a sign.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    pub(super) long: String,
    pub(super) short: String,
    pub(super) paint: Paint,
}

impl Snapshot {
    /// The number of figures that are always shown.
    pub(super) const ESSENTIAL: usize = 5;

    /// Returns `310/500`.
    pub(super) fn done(&self) -> String {
        let planned = self.progress.planned.trials;
        format!("{}/{}", count(self.progress.done()), count(planned))
    }

    /// Returns the share of trials that ended.
    pub(super) fn share(&self) -> f64 {
        let planned = self.progress.planned.trials.max(1);
        (self.progress.done() as f64 / planned as f64).min(1.0)
    }

    /// Returns the remaining time at the current rate, at least a second, or `None` if it is
    /// unknown.
    pub(super) fn remaining(&self) -> Option<Duration> {
        let progress = &self.progress;
        let open = progress.planned.trials.saturating_sub(progress.done());
        if open == 0 || progress.stopping.is_some() {
            return None;
        }
        let seconds = (open as f64 / self.rate?).max(1.0);
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Returns the remaining time in words.
    pub(super) fn left(&self) -> Option<String> {
        self.remaining()
            .map(|left| format!("about {} left", duration(left)))
    }

    /// Returns the figures of the run, the most important ones first.
    pub(super) fn figures(&self, style: Style) -> Vec<Figure> {
        let progress = &self.progress;
        let statuses = &progress.statuses;
        let of = |status, word, sign| counted(statuses.of(status), Paint::of(status), word, sign);
        let (pass, fail) = if style.unicode {
            ("✓", "✗")
        } else {
            ("+", "x")
        };
        let mut figures = vec![
            of(Status::Pass, "passed", pass),
            of(Status::Fail, "failed", fail),
            of(Status::Error, "errored", "!"),
            counted(progress.in_flight(), Paint::Plain, "in flight", "~"),
        ];
        let mut plain = |text: Option<String>| {
            figures.extend(text.map(|text| Figure {
                short: text.clone(),
                long: text,
                paint: Paint::Plain,
            }));
        };
        plain(self.rate.map(rate));
        plain(progress.cost());
        let rest = [
            of(Status::Borderline, "borderline", "="),
            of(Status::Ungraded, "ungraded", "?"),
            counted(progress.reused, Paint::Faint, "already done", "<"),
        ];
        let numbers = [statuses.borderline, statuses.ungraded, progress.reused];
        let some = rest
            .into_iter()
            .zip(numbers)
            .filter(|(_, number)| *number > 0);
        figures.extend(some.map(|(figure, _)| figure));
        figures
    }
}

fn counted(number: u64, paint: Paint, word: &str, sign: &str) -> Figure {
    Figure {
        long: format!("{} {word}", count(number)),
        short: format!("{sign}{}", count(number)),
        paint: if number > 0 { paint } else { Paint::Faint },
    }
}
