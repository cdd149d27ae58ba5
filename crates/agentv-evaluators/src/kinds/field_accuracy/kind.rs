//! The options and facts of `field_accuracy`.

use agentv_syntax::shape::{AMOUNT, BOOL};
use agentv_syntax::{Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};
use serde_json::Value;

use super::date::DateFormat;
use super::evaluator::build;
use super::path::Path;
use crate::kind::{EvaluatorKind, Facts};
use crate::memo::Memo;

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "field_accuracy",
        aliases: &[],
        doc: "Compares fields of the answer's JSON with those of the expected answer. The JSON may be in a fenced block or alone in prose.",
        options: Record {
            name: "field_accuracy",
            fields: &[
                Field {
                    name: "fields",
                    shape: &FIELDS,
                    doc: "The fields to compare.",
                },
                Field {
                    name: "aggregation",
                    shape: &AGGREGATION,
                    doc: "The way to combine the fields into one score: `weighted_average` or `all_or_nothing` (default: `weighted_average`).",
                },
            ],
            required: &[&["fields"]],
            others: Others::Warn,
        },
        shorthand: Some("fields"),
    },
    example: "\
- type: field_accuracy
  aggregation: all_or_nothing
  fields:
    - {path: total, match: numeric_tolerance, tolerance: 0.1, relative: true, weight: 2}
    - {path: due, match: date, formats: [YYYY-MM-DD], required: false}
- field_accuracy: [path: name]
",
    facts: Facts::CHECK,
    build,
};

static AGGREGATION: Shape = Shape {
    expected: "weighted_average or all_or_nothing",
    forms: &[Form::Text(Text::OneOf(&[
        "weighted_average",
        "all_or_nothing",
    ]))],
};

static FIELDS: Shape = Shape {
    expected: "an array of at least one field",
    forms: &[Form::List {
        items: &COMPARED,
        at_least: 1,
    }],
};

static COMPARED: Shape = Shape {
    expected: "a field to compare (an object with `path`)",
    forms: &[Form::Record(&Record {
        name: "compared field",
        fields: &[
            Field {
                name: "path",
                shape: &PATH,
                doc: "The path of the field, such as `invoice.lines[0].amount` or `[\"a.b\"]`. A field that the expected answer does not have is not compared.",
            },
            Field {
                name: "match",
                shape: &MATCH,
                doc: "The way to compare: `exact`, `numeric_tolerance` or `date` (default: `exact`).",
            },
            Field {
                name: "required",
                shape: &BOOL,
                doc: "False to ignore the field if the answer does not have it (default: true).",
            },
            Field {
                name: "weight",
                shape: &AMOUNT,
                doc: "The weight of the field relative to the others (default: 1).",
            },
            Field {
                name: "tolerance",
                shape: &AMOUNT,
                doc: "For `numeric_tolerance`: the maximum difference from the expected number (default: 0).",
            },
            Field {
                name: "relative",
                shape: &BOOL,
                doc: "For `numeric_tolerance`: whether `tolerance` is a share of the expected number (default: false). If that is 0, the tolerance is absolute.",
            },
            Field {
                name: "formats",
                shape: &FORMATS,
                doc: "For `date`: the accepted formats, such as `DD/MM/YYYY` or `D MMM YYYY` (default: every format, if the date can be read in one way only). Equal texts always match.",
            },
        ],
        required: &[&["path"]],
        others: Others::Warn,
    })],
};

static MATCH: Shape = Shape {
    expected: "exact, numeric_tolerance or date",
    forms: &[Form::Text(Text::OneOf(&[
        "exact",
        "numeric_tolerance",
        "date",
    ]))],
};

static PATH: Shape = Shape {
    expected: "a string that is not empty",
    forms: &[Form::Checked {
        form: &Form::Text(Text::Filled),
        check: path_problem,
    }],
};

static FORMATS: Shape = Shape {
    expected: "an array of at least one string",
    forms: &[Form::List {
        items: &FORMAT,
        at_least: 1,
    }],
};

static FORMAT: Shape = Shape {
    expected: "a date format",
    forms: &[Form::Checked {
        form: &Form::Text(Text::Filled),
        check: format_problem,
    }],
};

thread_local! {
    static PATHS_SEEN: Memo = Memo::new();
    static FORMATS_SEEN: Memo = Memo::new();
}

fn path_problem(node: Node<'_>) -> Option<Problem> {
    let parse = |path: &Value| Path::parse(path.as_str().unwrap_or_default()).map(drop);
    PATHS_SEEN.with(|memo| memo.problem(node, parse))
}

fn format_problem(node: Node<'_>) -> Option<Problem> {
    let parse = |format: &Value| DateFormat::parse(format.as_str().unwrap_or_default()).map(drop);
    FORMATS_SEEN.with(|memo| memo.problem(node, parse))
}
