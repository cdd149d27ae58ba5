//! Events: everything that happens in a run, as it happens.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Activity, ResultRecord, TrialName};

/// Something that happened in a run. Events are plain data: `--events` writes them as JSON lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum RunEvent {
    /// All checks passed, and the amount of work is known.
    Planned(Planned),
    /// Work on a trial began.
    Started(TrialName),
    /// An attempt failed and will be repeated.
    Retrying {
        /// The trial.
        #[serde(flatten)]
        trial: TrialName,
        /// The target that failed: that of the trial, or a judge.
        asked: Arc<str>,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// The reason of the failure, without secrets.
        reason: String,
        /// The wait before the next attempt, in milliseconds.
        wait_ms: f64,
    },
    /// A running target does something. There may be very many of these; they change no result.
    Active {
        /// The trial.
        #[serde(flatten)]
        trial: TrialName,
        /// The activity, without secrets.
        activity: Activity,
    },
    /// A trial that had begun got no result, because the run is being stopped.
    Abandoned(TrialName),
    /// A trial ended, in this run or before it was resumed. Its record is on disk.
    Finished {
        /// The result.
        record: Arc<ResultRecord>,
        /// True if the result was already in the journal.
        reused: bool,
    },
    /// Something that the user should know and that changes no result.
    Noticed {
        /// The notice, a sentence.
        message: String,
    },
    /// No further trial is started, although some are left.
    Stopping {
        /// The reason.
        reason: Stop,
    },
}

/// The amount of work of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    /// The number of trials, including those that were done before.
    pub trials: u64,
    /// The number of cases that were skipped because they have errors.
    pub skipped: u64,
}

/// The reason for which a run starts no further trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The user pressed Ctrl-C.
    Interrupted,
    /// The process was asked to end.
    Terminated,
    /// The terminal was closed, or the connection to it was lost.
    HungUp,
    /// More would cost more than the budget.
    Budget,
    /// More would take longer than allowed.
    Time,
    /// Records could not be written, or something that the run needs could not be read or asked.
    Broken,
}

/// A receiver of events that produces output for people, for CI, or for the disk.
pub trait Reporter {
    /// Takes one event. Called for one event at a time, and must return soon.
    ///
    /// # Errors
    /// Fails if the output cannot be written; the run then stops.
    fn on_event(&mut self, event: &RunEvent) -> Result<(), ReportError>;
}

/// An output that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write `{to}`: {source}")]
pub struct ReportError {
    /// The destination.
    pub to: String,
    /// The error of the system.
    pub source: std::io::Error,
}
