//! The progress of a run, as plain counters.

use agentv_core::{Planned, ResultRecord, RunEvent, Stop};

use crate::figures::money;
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
    is_unpriced: bool,
}

impl Progress {
    pub(super) fn on_event(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Planned(planned) => self.planned = *planned,
            RunEvent::Started(_) => self.started += 1,
            RunEvent::Retrying { .. }
            | RunEvent::Noticed { .. }
            | RunEvent::Active { .. }
            | RunEvent::Workers { .. } => {}
            RunEvent::Abandoned(_) => self.abandoned += 1,
            RunEvent::Stopping { reason } => self.stopping = Some(*reason),
            RunEvent::Finished { record, reused } => {
                self.statuses.add(record.status);
                self.reused += u64::from(*reused);
                if !reused {
                    self.add_cost(record);
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

    fn add_cost(&mut self, record: &ResultRecord) {
        let paid = [
            record.answer_cost_usd(),
            record.judge_cost_usd(),
            record.replaced_cost_usd,
        ];
        for amount in paid.into_iter().flatten().filter_map(Amount::of) {
            self.cost.get_or_insert_default().add(amount);
        }
        self.is_unpriced |= record.is_unpriced() || record.unpriced_judges().next().is_some();
    }

    /// Returns the cost of the answers and the judges of this run, marked if a part of it is unknown.
    pub(super) fn cost(&self) -> Option<String> {
        let mark = if self.is_unpriced { " + unpriced" } else { "" };
        let cost = self.cost.map(Amount::dollars);
        cost.map(|dollars| money(dollars) + mark)
    }
}
