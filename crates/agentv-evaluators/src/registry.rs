//! The registry of evaluators: the kinds, and the fields that all of them have.

use agentv_core::EvaluatorSpec;
use agentv_syntax::shape::{AMOUNT, BOOL, FILLED, FRACTION, POSITIVE};
use agentv_syntax::{
    Code, Field, Form, Kind, Node, Others, Problem, Record, Registry, Shape, Text,
};

use crate::kinds;
use crate::kinds::ALL;

/// The option that sets the lowest score with which an evaluator passes.
pub(crate) const MIN_SCORE: &str = "min_score";
/// The option that inverts an evaluator.
pub(crate) const NEGATE: &str = "negate";

/// The option that names the turn whose answer is graded.
pub(crate) const TURN: &str = EvaluatorSpec::TURN;

/// The registry of evaluators.
pub static REGISTRY: Registry = Registry {
    noun: "evaluator",
    tag: "type",
    common: &COMMON,
    kinds: ALL,
    camel_case: true,
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
            doc: "The name of the evaluator in results (default: its type).",
        },
        Field {
            name: "weight",
            shape: &AMOUNT,
            doc: "The weight of the evaluator in the score of the case (default: 1).",
        },
        Field {
            name: "required",
            shape: &BOOL,
            doc: "True to fail the case if this evaluator does not pass, whatever the score of the case (default: false).",
        },
        Field {
            name: MIN_SCORE,
            shape: &FRACTION,
            doc: "The lowest score with which this evaluator passes (default: that of the case).",
        },
        Field {
            name: NEGATE,
            shape: &BOOL,
            doc: "True to invert the evaluator, so that it passes if it would fail, and a score of 0.2 is 0.8 (default: false).",
        },
        Field {
            name: TURN,
            shape: &POSITIVE,
            doc: "The turn of a conversation whose answer is graded, from 1 (default: the last answer).",
        },
    ],
    required: &[&["type"]],
    others: Others::Warn,
};

static TYPE: Shape = Shape {
    expected: "the name of an evaluator",
    forms: &[Form::Text(Text::EvaluatorType)],
};

/// Returns the problem of options that are each valid, but not together.
fn problem(kind: &Kind, options: Node<'_>) -> Option<Problem> {
    (kinds::named(kind.name)?.facts.problem)(options)
}
