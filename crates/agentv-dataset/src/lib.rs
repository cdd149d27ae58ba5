//! Reads cases from eval files.
//!
//! ```
//! use agentv_dataset::{Definitions, LoadOptions, load_eval_cases};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("sums.jsonl");
//! # std::fs::write(&file, "{\"id\": \"sum\", \"expected_outcome\": \"Says 4\", \"input\": \"What is 2+2?\"}\n")?;
//! // The evaluators and providers that files may name.
//! let definitions = Definitions {
//!     evaluators: &agentv_evaluators::REGISTRY,
//!     targets: &agentv_providers::REGISTRY,
//! };
//! let options = LoadOptions::new(definitions, std::env::current_dir()?);
//! let loaded = load_eval_cases(&file, &options)?;
//! assert_eq!(loaded.cases[0].expected_outcome.as_deref(), Some("Says 4"));
//! assert!(loaded.diagnostics.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! A [`Dataset`] is one eval file: a YAML suite, a JSONL file with an optional sidecar, AgentMark
//! rows. [`Dataset::check`] reports everything that is wrong with it before anything is spent;
//! [`Dataset::cases`] streams the [`EvalCase`](agentv_core::EvalCase)s with bounded memory;
//! [`load_eval_cases`] is both, collected. Whatever the format, one function makes the case,
//! so the same content gives equal cases. [`discover()`] finds eval files,
//! [`convert()`] turns one format into another.

mod canonical_json;
mod case;
mod cases;
mod checked_rows;
mod config;
mod convert;
mod dataset;
mod defaults;
mod dependencies;
mod dialect;
mod discover;
mod edit;
mod evaluators_file;
mod files;
mod format;
mod guidelines;
mod ids;
mod load;
mod mapping;
mod opening;
mod options;
mod other_files;
mod project;
mod reporter;
mod results_file;
pub mod shapes;
mod sidecar;
mod text_remarks;
mod unsaved;

pub use agentv_syntax::{Code, Definitions, Diagnostic, Severity};
pub use cases::Cases;
pub use checked_rows::CheckedRow;
pub use convert::{Conversion, ConvertError, ConvertOptions, Converted, Loss, convert};
pub use dataset::{Checked, Dataset, SuiteProviders, is_eval_file_name, sidecar_path};
pub use dialect::{RunSettings, Variables, dialect_schema, dialect_schemas};
pub use discover::{
    DiscoverError, Discovered, Examined, FileRole, FoundFile, discover, examine,
    role_of_named_file, role_of_open_file,
};
pub use edit::{EditError, add_rubrics};
pub use evaluators_file::{EvaluatorsFile, read_evaluators};
pub use load::{LoadError, Loaded, load_eval_cases};
pub use options::{LoadOptions, Rules};
pub use other_files::{check_config, check_sidecar, read_source};
pub use project::Project;
pub use unsaved::{Outdated, UnsavedTexts};
