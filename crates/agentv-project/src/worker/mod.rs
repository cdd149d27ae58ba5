//! Work for other machines: what they need besides a trial, as data, and the trials as they see them.

mod needs;
mod prepare;
mod run_needs;
mod spec;

pub use needs::{NeededFile, NeededTree, TrialNeeds, TrialNeedsError, is_executable};
pub use prepare::PreparedWorker;
pub use run_needs::RunNeeds;
pub(crate) use run_needs::{named_file, shared_files};
pub use spec::{Roots, WorkerLane, WorkerSpec};
