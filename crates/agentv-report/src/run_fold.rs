//! What the records of a run come to, in one pass.

use agentv_core::ResultRecord;

use crate::run_statistics::{RunStatistics, StatisticsFold};
use crate::summary::{Summary, SummaryFold};

/// Records to a [`Summary`] and to [`RunStatistics`], in whatever order.
#[derive(Debug, Default)]
pub struct RunFold {
    summary: SummaryFold,
    statistics: StatisticsFold,
}

impl RunFold {
    /// A fold over the records of a run that asks each case so many times.
    pub fn of_trials(trials: u32) -> RunFold {
        RunFold {
            summary: SummaryFold::new(),
            statistics: StatisticsFold::of_trials(trials),
        }
    }

    /// Takes the record of one trial.
    pub fn add(&mut self, record: &ResultRecord) {
        self.summary.add(record);
        self.statistics.add(record);
    }

    /// What all that was added comes to, and how sure that is; `skipped` cases were left out of the run.
    pub fn finish(&self, skipped: u64) -> (Summary, RunStatistics) {
        (self.summary.finish(skipped), self.statistics.finish())
    }
}
