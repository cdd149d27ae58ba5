//! The few most extreme trials.

use std::cmp::Ordering;

use agentv_core::{ResultRecord, Status, TrialName};

use super::{CostlyTrial, SlowTrial, WorstTrial};
use crate::text::clip;

/// The length of a list.
const LENGTH: usize = 5;
/// The number of bytes that are kept of a reason.
const LONGEST_REASON: usize = 400;

/// The first few of all offered items, in order.
#[derive(Debug, Clone)]
pub(super) struct Top<T>(Vec<T>);

impl<T> Default for Top<T> {
    fn default() -> Self {
        Top(Vec::with_capacity(LENGTH + 1))
    }
}

impl<T: Clone> Top<T> {
    /// Offers an item. `compare` compares it with another; it is only created if it is kept.
    fn offer(&mut self, compare: impl Fn(&T) -> Ordering, make: impl FnOnce() -> T) {
        let full = self.0.len() == LENGTH;
        if full && self.0.last().is_some_and(|last| compare(last).is_ge()) {
            return;
        }
        let place = self.0.partition_point(|kept| compare(kept).is_ge());
        self.0.insert(place, make());
        self.0.truncate(LENGTH);
    }

    pub(super) fn finish(&self) -> Vec<T> {
        self.0.clone()
    }
}

impl Top<WorstTrial> {
    /// Offers a failed or borderline trial.
    pub(super) fn offer_worst(&mut self, record: &ResultRecord) {
        let (Some(score), Status::Fail | Status::Borderline) = (record.score, record.status) else {
            return;
        };
        let reason = record.reason().map(|reason| clip(reason, LONGEST_REASON));
        let compare = |kept: &WorstTrial| {
            let by_score = score.value().total_cmp(&kept.score.value());
            by_score
                .then_with(|| compare_names(record, &kept.trial))
                .then_with(|| record.status.cmp(&kept.status))
                .then_with(|| reason.cmp(&kept.reason.as_deref()))
        };
        self.offer(compare, || WorstTrial {
            trial: TrialName::from(record),
            status: record.status,
            score,
            pass_threshold: record.pass_threshold,
            reason: reason.map(str::to_owned),
        });
    }
}

impl Top<SlowTrial> {
    pub(super) fn offer_slow(&mut self, record: &ResultRecord, total_ms: f64) {
        let compare = |kept: &SlowTrial| {
            let longer = kept.total_ms.total_cmp(&total_ms);
            longer.then_with(|| compare_names(record, &kept.trial))
        };
        self.offer(compare, || SlowTrial {
            trial: TrialName::from(record),
            total_ms,
        });
    }
}

impl Top<CostlyTrial> {
    pub(super) fn offer_costly(&mut self, record: &ResultRecord, cost_usd: f64) {
        let compare = |kept: &CostlyTrial| {
            let dearer = kept.cost_usd.total_cmp(&cost_usd);
            dearer.then_with(|| compare_names(record, &kept.trial))
        };
        self.offer(compare, || CostlyTrial {
            trial: TrialName::from(record),
            cost_usd,
        });
    }
}

fn compare_names(record: &ResultRecord, name: &TrialName) -> Ordering {
    let by_file = record.eval_file.cmp(&name.eval_file);
    by_file
        .then_with(|| record.eval_id.cmp(&name.eval_id))
        .then_with(|| record.target.cmp(&name.target))
        .then_with(|| record.trial.cmp(&name.trial))
}
