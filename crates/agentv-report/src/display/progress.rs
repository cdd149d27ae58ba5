//! How far a run is: plain counters.

use agentv_core::{Planned, RunEvent, Stop};

use crate::summary::{Amount, Statuses};

/// How far a run is.
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
            RunEvent::Retrying { .. } | RunEvent::Noticed { .. } => {}
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

    /// The trials that ended, before and now.
    pub(super) fn done(&self) -> u64 {
        self.statuses.total()
    }

    /// The trials that ended now.
    pub(super) fn fresh(&self) -> u64 {
        self.done().saturating_sub(self.reused)
    }

    /// The trials that were taken up and have not ended.
    pub(super) fn in_flight(&self) -> u64 {
        self.started.saturating_sub(self.fresh() + self.abandoned)
    }

    /// What was paid in this run, in US dollars, where known.
    pub(super) fn cost_usd(&self) -> Option<f64> {
        self.cost.map(Amount::dollars)
    }
}
