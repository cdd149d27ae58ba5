//! Evaluators: one file or folder for each kind.
//!
//! Three nouns:
//!
//! - a [`Kind`](agentv_syntax::Kind) defines the name that users write as `type`, and the options.
//!   [`REGISTRY`] has all kinds and the fields that they share. Validation, schemas for editors,
//!   the reference page and "did you mean" come from it;
//! - an [`EvaluatorSpec`](agentv_core::EvaluatorSpec) is an evaluator as the user wrote it;
//! - an [`Evaluator`](agentv_core::Evaluator) judges answers. [`build()`] makes one from a spec,
//!   and a [`Builder`] makes many.
//!
//! To add an evaluator, write a file in `kinds/` with its `KIND` and add its name to the list in
//! `kinds/mod.rs` (`CONTRIBUTING.md` has all steps). `Options` reads options and phrases their
//! problems, `Findings` collects hits and misses. An evaluator that needs only the answer is a
//! `Check`. An option that must be parsed, such as a regular expression, is a `Form::Checked`, so
//! `validate` finds its mistakes. The module `script` runs users' commands, `judge` asks language
//! models, and `proxy` lets scripts ask targets. No other crate knows an evaluator by its name:
//! [`effort()`], [`judges_of`], [`files_of`] and [`runs_commands`] return the facts that its kind
//! states.
//!
//! ```
//! use agentv_evaluators::{BuildContext, Builder};
//! use agentv_core::EvaluatorSpec;
//!
//! let contains = agentv_evaluators::REGISTRY.kind("contains").unwrap();
//! assert_eq!(contains.shorthand, Some("value"));
//!
//! let mut spec = EvaluatorSpec::of_kind("regex");
//! let builder = Builder::new(BuildContext::new("."));
//! let error = builder.build(&spec).err().unwrap();
//! assert_eq!(error.to_string(), "evaluator `regex`: `value`: missing");
//! spec.options.insert("value".to_owned(), "Par.s".into());
//! assert!(builder.build(&spec).is_ok());
//! ```

mod adjusted;
mod builder;
mod cache;
mod check;
mod error;
mod facts;
mod files;
mod json;
mod judge;
mod kind;
mod kinds;
mod language;
mod limits;
mod matching;
mod memo;
mod of_turn;
mod options;
mod proxy;
mod read_texts;
mod registry;
mod script;
mod wanted;
mod words;
mod workspace;

#[cfg(test)]
mod tests;

pub use builder::{BuildContext, Builder, build};
pub use error::{BuildError, SpecError};
pub use facts::{
    compares, effort, files_of, judges_of, needs_workspace, runs_commands, without_secrets,
};
pub use kinds::{ALL, example};
pub use read_texts::ReadTexts;
pub use registry::REGISTRY;
pub use script::ScriptPlaces;
#[doc(hidden)]
pub use script::output::{OutputError, read as of_script};
