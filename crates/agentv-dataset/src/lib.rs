//! Eval files to cases.
//!
//! A [`Dataset`] is one eval file: a YAML suite, a JSONL file with an optional sidecar, AgentMark
//! rows. [`Dataset::check`] says everything that is wrong with it before anything is spent;
//! [`Dataset::cases`] streams the [`EvalCase`](agentv_core::EvalCase)s with bounded memory;
//! [`load_eval_cases`] is both, collected. Whatever the format, one function turns what was written
//! into a case, so the same content gives equal cases. [`discover()`] finds eval files,
//! [`convert()`] turns one format into another.

mod case;
mod config;
mod convert;
mod dataset;
mod defaults;
mod discover;
mod files;
mod format;
mod guidelines;
mod ids;
mod options;
mod project;
pub mod shapes;
mod sidecar;

use std::path::Path;
use std::sync::Arc;

use agentv_syntax::Diagnostic;

pub use convert::{Conversion, ConvertError, ConvertOptions, Converted, convert};
pub use dataset::{
    Cases, Checked, Dataset, LoadError, Loaded, is_eval_file_name, load_eval_cases, sidecar_path,
};
pub use discover::{DiscoverError, FileRole, FoundFile, discover};
pub use format::CONTINUES;
pub use options::{LoadOptions, Rules};
pub use project::Project;

/// Everything that is wrong with a sidecar, checked by itself.
pub fn check_sidecar(path: &Path, options: &LoadOptions) -> Vec<Diagnostic> {
    let file: Arc<str> = path.to_string_lossy().into();
    sidecar::check(path, &file, options)
}

/// Everything that is wrong with a project's settings file.
pub fn check_config(path: &Path, options: &LoadOptions) -> Vec<Diagnostic> {
    let file: Arc<str> = path.to_string_lossy().into();
    config::check(path, &file, options)
}
