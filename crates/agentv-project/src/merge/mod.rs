//! The shards of a run, merged into one run.

mod artifacts;
mod differences;
mod prepare;
mod record;
mod shards;

pub use prepare::{MergeOptions, PreparedMerge};
