//! The providers of targets: from `targets.yaml` to targets that can be asked.
//!
//! The nouns:
//!
//! - a *target* is a system under test, as the user named it in `targets.yaml`. [`Targets`] are those
//!   of one file and the built-in ones, and [`Targets::resolve`] prepares one;
//! - a *provider* is the code that talks to one kind of target. Its [`Kind`](agentv_syntax::Kind) is an
//!   entry of the registry, with the name that users write as `provider`, a description, and its
//!   options;
//! - the [`REGISTRY`] combines the kinds with the fields that all targets have. Validation, schemas for
//!   editors, the reference page and "did you mean" come from it;
//! - the [`Environment`] supplies `${{ NAME }}` and the keys of vendors, from the process and then from
//!   a `.env` file;
//! - the [`Surroundings`] of an eval file are the folders in which its targets file and its `.env` are
//!   looked up.
//!
//! A target is resolved only when a run needs it, so mistakes in other targets do not matter. Resolving
//! it spells its fields in one way, fills in the environment, reads its limits, builds its provider and
//! collects its secrets. No request is made before
//! [`Provider::prepare`](agentv_core::Provider::prepare).
//!
//! To add a provider, write a file in `kinds/` with its `KIND` and its `PROVIDER`, and add its name to
//! the list in `kinds/mod.rs`. No other code knows a provider by its name: everything that the rest
//! of the program needs to know about a kind is in its [`Facts`].
//!
//! ```
//! let azure = agentv_providers::REGISTRY.kind("azure-openai").unwrap();
//! assert_eq!(azure.name, "azure");
//! ```

mod agent;
mod answer;
mod cli;
mod environment;
mod excerpt;
mod http;
pub mod import;
mod kind;
mod kinds;
mod mock;
mod model;
mod network;
mod program_path;
mod replay;
mod secrets;
mod target;
pub mod targets_file;
mod wire;

#[cfg(test)]
mod tests;

pub use environment::{DotenvError, DotenvRemark, Environment, Surroundings};
pub use kind::Facts;
pub use kinds::{ALL, example, facts};
pub use secrets::OpenValue;
pub use target::{
    Delay, ListedTarget, ResolvedTarget, TargetError, Targets, built_in, name_of_today, vendors,
};
pub use targets_file::{REGISTRY, SuiteProviders, TARGETS_FILE};

/// The parsers of what a command prints and of what a model streams, for the fuzz targets.
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::agent::of_recording;
    pub use crate::answer::of_output;
    pub use crate::cli::of_batch;
    pub use crate::wire::fuzzing::streamed;
}
