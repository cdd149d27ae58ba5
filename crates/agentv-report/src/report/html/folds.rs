//! What the records of a run come to, folded while the page is made.

use agentv_core::ResultRecord;

use crate::run_statistics::StatisticsFold;
use crate::summary::SummaryFold;

/// Both folds over the records of a run.
#[derive(Debug, Default)]
pub(super) struct Folds {
    pub(super) summary: SummaryFold,
    pub(super) statistics: StatisticsFold,
}

impl Folds {
    /// Of a run that asks each case so many times.
    pub(super) fn of_trials(trials: u32) -> Folds {
        Folds {
            summary: SummaryFold::new(),
            statistics: StatisticsFold::of_trials(trials),
        }
    }

    pub(super) fn add(&mut self, record: &ResultRecord) {
        self.summary.add(record);
        self.statistics.add(record);
    }
}
