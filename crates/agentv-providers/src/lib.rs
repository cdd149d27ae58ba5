//! The providers of targets: from `targets.yaml` to targets that can be asked.
//!
//! The nouns:
//!
//! - a *target* is a system under test, as the user named it in `targets.yaml`; [`Targets`] are those
//!   of one file and the built-in ones, and [`Targets::resolve`] makes one ready to be asked;
//! - a *provider* is what talks to one kind of target: a [`Kind`](agentv_syntax::Kind) is its entry
//!   of the registry, with the name that users write as `provider`, what it does, and its options;
//! - the [`REGISTRY`] joins the kinds with the fields that all targets have; validation, schemas for
//!   editors, the reference page and "did you mean" come from it;
//! - the [`Environment`] is where `${{ NAME }}` and the keys of vendors come from: the process, then
//!   a `.env` file;
//! - the [`Surroundings`] of an eval file say where its targets file and its `.env` are looked for.
//!
//! A target is resolved only when a run needs it, so what is missing for another one is no matter:
//! its fields are spelled in one way and the environment filled in, its limits read, its provider
//! made, and what is secret in it gathered. No request is made before
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

mod answer;
mod built_in;
mod cli;
mod depth;
mod digest;
mod dotenv_file;
mod environment;
mod excerpt;
mod fields;
mod http;
mod kind;
mod kinds;
mod limits;
mod mock;
mod model;
mod network;
#[doc(hidden)]
pub mod outputs;
mod reference;
mod replay;
mod secret_parts;
mod secret_values;
mod setting;
mod settings;
mod stand_in;
mod surroundings;
mod target;
mod target_error;
mod targets;
pub mod targets_file;

#[cfg(test)]
mod tests;

pub use built_in::{built_in, vendors};
pub use environment::{DotenvError, Environment};
pub use kind::Facts;
pub use kinds::{ALL, example, facts};
pub use stand_in::Delay;
pub use surroundings::Surroundings;
pub use target_error::TargetError;
pub use targets::{ListedTarget, ResolvedTarget, Targets};

use agentv_syntax::shape::TEXT;
use agentv_syntax::{Code, Field, Form, Others, Record, Registry, Shape};

/// What may be written as a target.
pub static REGISTRY: Registry = Registry {
    noun: "provider",
    tag: "provider",
    common: &target::COMMON,
    kinds: ALL,
    camel_case: true,
    unknown: Code::UnknownProvider,
    check: None,
};

/// The content of `targets.yaml`.
pub static TARGETS_FILE: Shape = Shape {
    expected: "an object with `targets`",
    forms: &[Form::Record(&Record {
        name: "targets file",
        fields: &[
            Field {
                name: "$schema",
                shape: &TEXT,
                doc: "The schema that editors check the file with.",
            },
            Field {
                name: "targets",
                shape: &TARGETS,
                doc: "The targets.",
            },
        ],
        required: &[&["targets"]],
        others: Others::Refuse,
    })],
};

static TARGETS: Shape = Shape {
    expected: "an array of targets with at least one",
    forms: &[Form::List {
        items: &TARGET,
        at_least: 1,
    }],
};

static TARGET: Shape = Shape {
    expected: "a target (an object with `name` and `provider`)",
    forms: &[Form::Target],
};
