//! The totals of a run that a comparison shows.

use agentv_core::{ResultRecord, Status};
use serde::Serialize;

use crate::summary::{Amount, LatencyFold, Moments, Statuses, graded_score};

/// The totals of all trials of a run, matched or not. Errored and ungraded trials are counted, but
/// excluded from the pass rate and the mean.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct RunTotals {
    /// The number of trials.
    pub trials: u64,
    /// The number of trials by status.
    pub statuses: Statuses,
    /// The share of the graded trials that passed; `None` if nothing was graded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pass_rate: Option<f64>,
    /// The mean score of the graded trials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_score: Option<f64>,
    /// The cost in US dollars, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
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
    cost_usd: Option<f64>,
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
            cost_usd: record.cost_usd(),
            total_ms: measured.filter(|_| answered),
            is_outdated: record.outdated.is_some(),
        }
    }
}

impl RunTotals {
    pub(super) fn of<'s>(shares: impl Iterator<Item = &'s Share>) -> RunTotals {
        let mut statuses = Statuses::default();
        let mut scores = Moments::default();
        let mut cost: Option<Amount> = None;
        let mut latency = LatencyFold::default();
        let mut outdated = 0;
        for share in shares {
            statuses.add(share.status);
            outdated += u64::from(share.is_outdated);
            share.score.into_iter().for_each(|score| scores.add(score));
            if let Some(paid) = share.cost_usd.and_then(Amount::of) {
                cost.get_or_insert_default().add(paid);
            }
            share.total_ms.into_iter().for_each(|ms| latency.add(ms));
        }
        RunTotals {
            trials: statuses.total(),
            statuses,
            pass_rate: statuses.pass_rate(),
            mean_score: scores.mean(),
            cost_usd: cost.map(Amount::dollars),
            median_ms: latency.finish().map(|latency| latency.median_ms),
            outdated,
        }
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}
