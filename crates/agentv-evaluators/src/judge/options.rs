//! Options that all evaluators with a judge share.

use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Form, Shape, Text};

pub(crate) const TARGET: Field = Field {
    name: "target",
    shape: &FILLED,
    doc: "The target to ask as judge (default: `--judge`, else the `judge_target` of the graded target or of the project settings, else the graded target itself).",
};

pub(crate) const JUDGES: Field = Field {
    name: "judges",
    shape: &PANEL,
    doc: "The number of times to ask the judge, or the names of several targets that all judge the answer (default: 1).",
};

pub(crate) const AGGREGATE: Field = Field {
    name: "aggregate",
    shape: &AGGREGATES,
    doc: "The way to combine the scores of several judges: `median`, `mean` or `majority` (default: `median`).",
};

static PANEL: Shape = Shape {
    expected: "a whole number from 1 to 100, or an array of target names",
    forms: &[
        Form::Number {
            min: 1.0,
            max: 100.0,
            integer: true,
        },
        Form::List {
            items: &FILLED,
            at_least: 1,
        },
    ],
};

static AGGREGATES: Shape = Shape {
    expected: "median, mean or majority",
    forms: &[Form::Text(Text::OneOf(&["median", "mean", "majority"]))],
};
