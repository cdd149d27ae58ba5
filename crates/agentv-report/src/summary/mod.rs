//! The figures of a run.

mod amount;
mod costs;
mod errors;
mod extremes;
mod fold;
mod judges;
mod latency;
mod run_summary;
mod scores;
mod statuses;
#[cfg(test)]
mod tests;
mod thresholds;

pub(crate) use amount::Amount;
pub(crate) use costs::CostFold;
pub use costs::Costs;
pub use fold::SummaryFold;
pub(crate) use fold::{GroupFold, graded_score};
pub(crate) use judges::JudgesFold;
pub(crate) use latency::LatencyFold;
pub use run_summary::{
    CostlyTrial, ErrorGroup, KeptWorkspaces, Latency, Scores, SlowTrial, Summary, TargetJudges,
    TargetSummary, Tokens, WorstTrial,
};
pub(crate) use scores::Moments;
pub use statuses::Statuses;
pub(crate) use thresholds::ThresholdFold;
