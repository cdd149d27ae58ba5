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
    /// The workers on other machines and their work, about once a second. It changes no result.
    Workers {
        /// The workers, by host and process.
        workers: Vec<WorkerActivity>,
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

/// A worker on another machine, and its work.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerActivity {
    /// The name of the machine.
    pub host: String,
    /// The id of the process.
    pub process: u32,
    /// The number of trials that it can work on at a time.
    pub slots: usize,
    /// The number of trials that it works on.
    pub busy: usize,
    /// The number of trials that it has ended.
    pub done: u64,
    /// The trials that it ends per minute.
    pub per_minute: f64,
    /// The trial that it works on for the longest time, and for how many seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<(String, f64)>,
}

/// The workers and machines that took part in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TookPart {
    /// The number of workers that ended a trial.
    pub workers: usize,
    /// The number of machines that they were on.
    pub machines: usize,
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
