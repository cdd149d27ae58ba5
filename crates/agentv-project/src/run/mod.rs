//! A run of eval files: its options, its plan, its preparation.

mod changes;
mod failed_trials;
mod options;
mod plan;
mod prepare;
mod resumed;

pub use options::{RunOptions, SelectionOptions};
pub(crate) use plan::{narrowing_flags, reasons, selection};
pub use prepare::PreparedRun;
pub(crate) use prepare::{GRACE, with_earlier};
pub(crate) use resumed::joined_selection;
