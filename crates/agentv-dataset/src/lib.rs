//! Eval files to cases.
//!
//! A [`Dataset`] is one eval file: a YAML suite, a JSONL file with an optional sidecar, AgentMark
//! rows. [`Dataset::check`] says everything that is wrong with it before anything is spent;
//! [`Dataset::cases`] streams the [`EvalCase`](agentv_core::EvalCase)s with bounded memory;
//! [`load_eval_cases`] is both, collected. Whatever the format, one function turns what was written
//! into a case, so the same content gives equal cases.

mod case;
mod config;
mod dataset;
mod defaults;
mod files;
mod format;
mod guidelines;
mod ids;
mod options;
mod project;
pub mod shapes;
mod sidecar;

pub use dataset::{
    Cases, Checked, Dataset, LoadError, Loaded, is_eval_file_name, load_eval_cases, sidecar_path,
};
pub use options::{LoadOptions, Rules};
pub use project::Project;
