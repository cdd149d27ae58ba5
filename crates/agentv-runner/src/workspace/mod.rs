//! The workspaces of trials.
//!
//! [`WorkspaceSource`](agentv_core::WorkspaceSource)s are exported once per run, as templates. Each
//! attempt of a trial gets a copy, in which the user's commands run before and after.

mod commands;
mod templates;
mod trial_workspace;

pub use templates::{NoWorkspace, RunWorkspaces};
pub(crate) use trial_workspace::{TrialWorkspace, Unmade, needs_workspace};
