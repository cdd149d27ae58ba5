//! Events and records to something for people, CI and the disk.

mod clock;
mod display;
mod figures;
pub mod out_file;
mod render;
#[cfg(test)]
mod samples;
mod several;
mod style;
mod summary;
mod text;

pub use clock::Clock;
pub use display::{DisplayOptions, LiveDisplay, PlainProgress, Quiet};
pub use out_file::OutFile;
pub use render::{Closing, render_summary};
pub use several::Several;
pub use style::Style;
pub use summary::{
    CostlyTrial, ErrorGroup, Latency, Scores, SlowTrial, Statuses, Summary, SummaryFold,
    TargetSummary, Tokens, TrialName, WorstTrial,
};
