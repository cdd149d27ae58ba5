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
mod code_judge;
mod composite;
mod contains;
mod contains_all;
mod contains_any;
mod cost;
mod effort;
mod equals;
mod error;
mod execution_metrics;
mod expansion;
mod field_accuracy;
mod files;
mod is_json;
mod json;
mod json_schema;
mod judge;
mod kind;
mod latency;
mod limits;
mod llm_judge;
mod matching;
mod memo;
mod options;
mod proxy;
mod read_texts;
mod regex;
mod rubric;
mod script;
mod similarity;
mod starts_with;
mod token_usage;
mod tool_trajectory;
mod words;

#[cfg(test)]
mod tests;

pub use builder::{BuildContext, Builder, build, judges_of};
pub use effort::effort;
pub use error::BuildError;
pub use read_texts::ReadTexts;
pub use script::ScriptPlaces;
#[doc(hidden)]
pub use script::output::read as of_script;

use agentv_syntax::shape::{AMOUNT, BOOL, FILLED};
use agentv_syntax::{
    Code, Field, Form, Kind, Node, Others, Problem, Record, Registry, Shape, Text,
};

use kind::EvaluatorKind;

/// Every kind of evaluator, in the order of the reference page.
pub(crate) const EVALUATORS: &[EvaluatorKind] = &[
    EvaluatorKind::new(&llm_judge::KIND, llm_judge::build).asking(judge::judges),
    EvaluatorKind::new(&rubric::KIND, rubric::build).asking(judge::judges),
    EvaluatorKind::new(&code_judge::KIND, code_judge::build).asking(code_judge::judges),
    EvaluatorKind::new(&composite::KIND, composite::build)
        .checked(composite::problem)
        .asking(composite::judges),
    EvaluatorKind::new(&tool_trajectory::KIND, tool_trajectory::build)
        .checked(tool_trajectory::problem),
    EvaluatorKind::new(&field_accuracy::KIND, field_accuracy::build),
    EvaluatorKind::new(&latency::KIND, latency::build),
    EvaluatorKind::new(&cost::KIND, cost::build),
    EvaluatorKind::new(&token_usage::KIND, token_usage::build),
    EvaluatorKind::new(&execution_metrics::KIND, execution_metrics::build),
    EvaluatorKind::new(&contains::KIND, contains::build),
    EvaluatorKind::new(&contains_any::KIND, contains_any::build),
    EvaluatorKind::new(&contains_all::KIND, contains_all::build),
    EvaluatorKind::new(&equals::KIND, equals::build),
    EvaluatorKind::new(&starts_with::KIND, starts_with::build),
    EvaluatorKind::new(&regex::KIND, regex::build),
    EvaluatorKind::new(&is_json::KIND, is_json::build),
    EvaluatorKind::new(&json_schema::KIND, json_schema::build),
    EvaluatorKind::new(&similarity::KIND, similarity::build),
];

/// What may be written in each kind of evaluator, in the order of the reference page.
pub const ALL: &[&Kind] = &{
    let mut kinds = [EVALUATORS[0].kind; EVALUATORS.len()];
    let mut at = 0;
    while at < kinds.len() {
        kinds[at] = EVALUATORS[at].kind;
        at += 1;
    }
    kinds
};

/// What may be written as an evaluator.
pub static REGISTRY: Registry = Registry {
    noun: "evaluator",
    tag: "type",
    common: &COMMON,
    kinds: ALL,
    camel_case: false,
    unknown: Code::UnknownEvaluator,
    check: Some(problem),
};

static COMMON: Record = Record {
    name: "evaluator",
    fields: &[
        Field {
            name: "type",
            shape: &TYPE,
            doc: "The kind of evaluator.",
        },
        Field {
            name: "name",
            shape: &FILLED,
            doc: "The name of the evaluator in results, its type unless given.",
        },
        Field {
            name: "weight",
            shape: &AMOUNT,
            doc: "How much the evaluator counts in the score of the case, 1 unless given.",
        },
        Field {
            name: "required",
            shape: &BOOL,
            doc: "Whether the case fails unless this evaluator passes, whatever the others give.",
        },
    ],
    required: &[&["type"]],
    others: Others::Warn,
};

static TYPE: Shape = Shape {
    expected: "the name of an evaluator",
    forms: &[Form::Text(Text::EvaluatorType)],
};

/// What is wrong with the options of an evaluator together, which are right each by itself.
fn problem(kind: &Kind, options: Node<'_>) -> Option<Problem> {
    let known = EVALUATORS.iter().find(|known| known.kind.name == kind.name);
    known?.check?(options)
}
