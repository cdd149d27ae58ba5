//! The evaluators: one file or folder for each kind.
//!
//! Three nouns:
//!
//! - a [`Kind`] says what may be written: the name that users write as `type`, and its options.
//!   [`REGISTRY`] joins the kinds with the fields that all of them have; validation, schemas for
//!   editors, the reference page and "did you mean" come from it;
//! - an [`EvaluatorSpec`](agentv_core::EvaluatorSpec) is what the user asked for;
//! - an [`Evaluator`](agentv_core::Evaluator) is what judges. [`build()`] makes one from a spec, and a
//!   [`Builder`] many.
//!
//! To add an evaluator, write a file with its `KIND` and its `build`, and add a line to the list in
//! this file. Options are read with `Options`, which has the words for what is wrong in them; what is
//! found in an answer is told with `Findings`. An evaluator that needs nothing but the answer is a
//! `Check`. An option that must be parsed (a regular expression, a path) is a `Form::Checked`, so that
//! `validate` finds what is wrong with it. One that runs a command of the user's is built on `script`,
//! one that asks a language model on `judge`; scripts ask targets through a `proxy`.
//!
//! ```
//! use agentv_evaluators::{BuildContext, Builder};
//! use agentv_core::EvaluatorSpec;
//!
//! let contains = agentv_evaluators::REGISTRY.kind("contains").unwrap();
//! assert_eq!(contains.shorthand, Some("value"));
//!
//! let mut spec = EvaluatorSpec::of_kind("contains");
//! let builder = Builder::new(BuildContext::new("."));
//! let error = builder.build(&spec).err().unwrap();
//! assert_eq!(error.to_string(), "evaluator `contains`: `value`: it is missing");
//! spec.options.insert("value".to_owned(), "Paris".into());
//! assert!(builder.build(&spec).is_ok());
//! ```

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
mod limits;
mod matching;
mod memo;
mod options;
mod proxy;
mod read_texts;
mod registry;
mod script;
mod words;

#[cfg(test)]
mod tests;

pub use builder::{BuildContext, Builder, build};
pub use error::BuildError;
pub use facts::{effort, files_of, judges_of, runs_commands};
pub use kinds::{ALL, example};
pub use read_texts::ReadTexts;
pub use registry::REGISTRY;
pub use script::ScriptPlaces;
#[doc(hidden)]
pub use script::output::{OutputError, read as of_script};
