//! The progress of a run, as plain counters.

use agentv_core::{Planned, RunEvent, Stop};

use crate::summary::{Amount, Statuses};

/// The progress of a run.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Progress {
    pub(super) planned: Planned,
    pub(super) statuses: Statuses,
    pub(super) reused: u64,
    pub(super) stopping: Option<Stop>,
    started: u64,
    abandoned: u64,
    cost: Option<Amount>,
}

impl Progress {
    pub(super) fn on_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Planned(planned) => self.planned = *planned,
            RunEvent::Started(_) => self.started += 1,
            RunEvent::Retrying { .. } | RunEvent::Noticed { .. } | RunEvent::Active { .. } => {}
            RunEvent::Abandoned(_) => self.abandoned += 1,
            RunEvent::Stopping { reason } => self.stopping = Some(*reason),
            RunEvent::Finished { record, reused } => {
                self.statuses.add(record.status);
                self.reused += u64::from(*reused);
                let paid = record.cost_usd().filter(|_| !reused);
                if let Some(amount) = paid.and_then(Amount::of) {
                    self.cost.get_or_insert_default().add(amount);
                }
            }
        }
    }

    /// Returns the number of trials that ended, including those of earlier runs.
    pub(super) fn done(&self) -> u64 {
        self.statuses.total()
    }

    /// Returns the number of trials that ended in this run.
    pub(super) fn fresh(&self) -> u64 {
        self.done().saturating_sub(self.reused)
    }

    /// Returns the number of trials that have started and not ended.
    pub(super) fn in_flight(&self) -> u64 {
        self.started.saturating_sub(self.fresh() + self.abandoned)
    }

    /// Returns the cost of this run in US dollars, if it is known.
    pub(super) fn cost_usd(&self) -> Option<f64> {
        self.cost.map(Amount::dollars)
    }
}
