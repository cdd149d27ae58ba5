//! Turns one written case into one [`EvalCase`](agentv_core::EvalCase), whatever its format.
//!
//! [`read`] checks everything and allocates nothing, so a file of any size can be checked before
//! anything is spent; [`WrittenCase::build`] makes the case.

mod agentmark;
mod build;
mod context;
mod evaluators;
mod messages;
mod read;
mod workspace;

pub(crate) use agentmark::RowPrompt;
pub(crate) use build::own_threshold;
pub(crate) use context::Context;
pub(crate) use evaluators::{EvaluatorDrafts, check_files, resolved_specs, text_or_file};
pub(crate) use messages::{is_block, is_message};
pub(crate) use read::{Fields, check_depth, read};
pub(crate) use workspace::{WorkspaceSettings, check_workspace};
