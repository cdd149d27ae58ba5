//! The totals of a run that a comparison shows.

use std::collections::BTreeSet;

use agentv_core::{ResultRecord, Status};
use serde::Serialize;

use super::run::Row;
use crate::summary::{CostFold, Costs, LatencyFold, Moments, Statuses, graded_score};

/// The totals of all trials of a run, matched or not. Errored and ungraded trials are counted, but
/// excluded from the pass rate and the mean.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct RunTotals {
    /// The number of trials.
    pub trials: u64,
    /// The number of trials by status.
    pub statuses: Statuses,
    /// The number of answers from a mock that replaced the target.
    #[serde(skip_serializing_if = "is_zero")]
    pub dry_run: u64,
    /// The share of the graded trials that passed; `None` if nothing was graded, or if there are several
    /// targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The mean score of the graded trials; `None` as above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<f64>,
    /// The costs of the answers and of the judges.
    #[serde(flatten)]
    pub costs: Costs,
    /// The median latency, accurate to one percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ms: Option<f64>,
    /// The number of results that are out of date.
    #[serde(skip_serializing_if = "is_zero")]
    pub outdated: u64,
}

/// The part of a record that the totals need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) status: Status,
    pub(super) score: Option<agentv_core::Score>,
    /// The cost of the answer.
    cost_usd: Option<f64>,
    is_unpriced: bool,
    is_dry_run: bool,
    judge_cost_usd: Option<f64>,
    total_ms: Option<f64>,
    is_outdated: bool,
}

impl Share {
    pub(super) fn of(record: &ResultRecord) -> Share {
        let measured = record.timing.total_ms;
        let measured = measured.filter(|ms| ms.is_finite() && *ms >= 0.0);
        let answered = !record.cached && record.status != Status::Error;
        Share {
            status: record.status,
            score: graded_score(record),
            cost_usd: record.answer_cost_usd(),
            is_unpriced: record.is_unpriced(),
            is_dry_run: record.dry_run,
            judge_cost_usd: record.judge_cost_usd(),
            total_ms: measured.filter(|_| answered),
            is_outdated: record.outdated.is_some(),
        }
    }
}

impl RunTotals {
    pub(super) fn of<'r>(rows: impl Iterator<Item = &'r Row>) -> RunTotals {
        let mut statuses = Statuses::default();
        let mut scores = Moments::default();
        let mut costs = CostFold::default();
        let mut dry_run = 0;
        let mut targets = BTreeSet::new();
        let mut latency = LatencyFold::default();
        let mut outdated = 0;
        for row in rows {
            let share = &row.share;
            statuses.add(share.status);
            outdated += u64::from(share.is_outdated);
            dry_run += u64::from(share.is_dry_run);
            targets.insert(&row.target);
            share.score.into_iter().for_each(|score| scores.add(score));
            costs.add_answer(share.cost_usd, share.is_unpriced, &row.target);
            costs.add_judges(share.judge_cost_usd, row.unpriced_judges());
            share.total_ms.into_iter().for_each(|ms| latency.add(ms));
        }
        // The average of several targets is the figure of none of them.
        let is_single = targets.len() < 2;
        RunTotals {
            trials: statuses.total(),
            dry_run,
            statuses,
            pass_rate: statuses.pass_rate().filter(|_| is_single),
            mean_score: scores.mean().filter(|_| is_single),
            costs: costs.finish(),
            median_ms: latency.finish().map(|latency| latency.median_ms),
            outdated,
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
