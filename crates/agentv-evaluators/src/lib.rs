//! The evaluators: one file for each kind.
//!
//! A [`Kind`] is an entry of the registry: the name that users write as `type`, what it does, and
//! its options. [`REGISTRY`] joins the kinds with the fields that all of them have; validation,
//! schemas for editors, the reference page and "did you mean" come from it.
//!
//! To add an evaluator, write a file with its `KIND` and add that to [`ALL`].
//!
//! ```
//! let contains = agentv_evaluators::REGISTRY.kind("contains").unwrap();
//! assert_eq!(contains.shorthand, Some("value"));
//! ```

mod code_judge;
mod composite;
mod contains;
mod contains_all;
mod contains_any;
mod cost;
mod equals;
mod execution_metrics;
mod field_accuracy;
mod is_json;
mod json_schema;
mod latency;
mod llm_judge;
mod matching;
mod regex;
mod rubric;
mod similarity;
mod starts_with;
mod token_usage;
mod tool_trajectory;

#[cfg(test)]
mod tests;

use agentv_syntax::shape::{AMOUNT, BOOL, FILLED};
use agentv_syntax::{Code, Field, Form, Kind, Others, Record, Registry, Shape, Text};

/// Every kind of evaluator, in the order of the reference page.
pub const ALL: &[&Kind] = &[
    &llm_judge::KIND,
    &rubric::KIND,
    &code_judge::KIND,
    &composite::KIND,
    &tool_trajectory::KIND,
    &field_accuracy::KIND,
    &latency::KIND,
    &cost::KIND,
    &token_usage::KIND,
    &execution_metrics::KIND,
    &contains::KIND,
    &contains_any::KIND,
    &contains_all::KIND,
    &equals::KIND,
    &starts_with::KIND,
    &regex::KIND,
    &is_json::KIND,
    &json_schema::KIND,
    &similarity::KIND,
];

/// What may be written as an evaluator.
pub static REGISTRY: Registry = Registry {
    noun: "evaluator",
    tag: "type",
    common: &COMMON,
    kinds: ALL,
    camel_case: false,
    unknown: Code::UnknownEvaluator,
    check: None,
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
