//! Events and records to something for people, CI and the disk.

mod clock;
mod figures;
mod render;
#[cfg(test)]
mod samples;
mod style;
mod summary;
mod text;

pub use clock::Clock;
pub use render::{Closing, render_summary};
pub use style::Style;
pub use summary::{
    CostlyTrial, ErrorGroup, Latency, Scores, SlowTrial, Statuses, Summary, SummaryFold,
    TargetSummary, Tokens, TrialName, WorstTrial,
};
