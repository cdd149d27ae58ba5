//! The figures of a run's records, in one pass.

use agentv_core::ResultRecord;

use crate::run_statistics::{RunStatistics, StatisticsFold};
use crate::summary::{Summary, SummaryFold};

/// A fold of records into a [`Summary`] and [`RunStatistics`], in any order.
#[derive(Debug, Default)]
pub struct RunFold {
    summary: SummaryFold,
    statistics: StatisticsFold,
}

impl RunFold {
    /// Creates a fold for a run with this many trials per case.
    pub fn of_trials(trials: u32) -> RunFold {
        RunFold {
            summary: SummaryFold::new(),
            statistics: StatisticsFold::of_trials(trials),
        }
    }

    /// Adds the record of one trial.
    pub fn add(&mut self, record: &ResultRecord) {
        self.summary.add(record);
        self.statistics.add(record);
    }

    /// Returns the summary and the statistics of all records; `skipped` is the number of skipped
    /// cases.
    pub fn finish(&self, skipped: u64) -> (Summary, RunStatistics) {
        (self.summary.finish(skipped), self.statistics.finish())
    }
}
