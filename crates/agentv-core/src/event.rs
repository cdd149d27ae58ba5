//! What happens in a run, as it happens.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::ResultRecord;

/// What happens in a run. A record of an earlier run is replayed with the same events.
#[derive(Debug, Clone, Copy)]
pub enum RunEvent<'a> {
    /// Everything was checked, and it is known what is to be done.
    Planned(Planned),
    /// A trial was taken up.
    Started {
        /// The id of the case.
        eval_id: &'a str,
        /// The target that is asked.
        target: &'a str,
        /// Which repeat of the case, from 1.
        trial: u32,
    },
    /// An attempt failed and is repeated.
    Retrying {
        /// The id of the case.
        eval_id: &'a str,
        /// The target that is asked.
        target: &'a str,
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Why it failed.
        reason: &'a str,
        /// How long we wait before the next.
        wait: std::time::Duration,
    },
    /// A trial that was taken up was given up without an outcome, because the run is stopped.
    Abandoned,
    /// A trial ended, in this run or before it was resumed.
    Finished {
        /// How it ended.
        record: &'a ResultRecord,
        /// Whether nothing was done for it now: its record stood in the journal.
        reused: bool,
    },
    /// Something that a person should know, and that changes no outcome.
    Noticed(&'a str),
    /// No further trial is taken up, before all were.
    Stopping(Stop),
}

/// What a run is going to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Planned {
    /// How many trials the run has, those that were done before included.
    pub trials: u64,
    /// How many cases were left out because something is wrong with them.
    pub skipped: u64,
}

/// Why a run takes up no further trials.
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

/// What turns events into something for people, for CI, or for the disk.
pub trait Reporter {
    /// Takes one event. Called for one event at a time, and must return soon.
    ///
    /// # Errors
    /// When what is reported to cannot take it; the run stops.
    fn on_event(&mut self, event: &RunEvent<'_>) -> Result<(), ReportError>;
}

/// A report that could not be written, and why.
#[derive(Debug)]
pub struct ReportError {
    /// What was written to.
    pub to: String,
    /// What the system said.
    pub source: std::io::Error,
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot write `{}`: {}", self.to, self.source)
    }
}

impl std::error::Error for ReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}
