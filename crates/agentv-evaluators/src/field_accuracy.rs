//! `field_accuracy`: fields of a structured answer have the expected values.

use agentv_syntax::shape::{AMOUNT, BOOL, FILLED};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use crate::matching::TEXTS;

pub(crate) static KIND: Kind = Kind {
    name: "field_accuracy",
    aliases: &[],
    doc: "Compares fields of the answer's JSON with those of the expected answer.",
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
                doc: "How the fields become one score: `weighted_average`, which is the default, or `all_or_nothing`.",
            },
        ],
        required: &[&["fields"]],
        others: Others::Warn,
    },
    shorthand: Some("fields"),
};

static AGGREGATION: Shape = Shape {
    expected: "weighted_average or all_or_nothing",
    forms: &[Form::Text(Text::OneOf(&[
        "weighted_average",
        "all_or_nothing",
    ]))],
};

static FIELDS: Shape = Shape {
    expected: "an array of fields with at least one",
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
                shape: &FILLED,
                doc: "Where the field stands, such as `invoice.lines[0].amount`.",
            },
            Field {
                name: "match",
                shape: &MATCH,
                doc: "How to compare: `exact`, which is the default, `numeric_tolerance` or `date`.",
            },
            Field {
                name: "required",
                shape: &BOOL,
                doc: "Whether the field counts where the answer does not have it, true unless given.",
            },
            Field {
                name: "weight",
                shape: &AMOUNT,
                doc: "How much the field counts among the others, 1 unless given.",
            },
            Field {
                name: "tolerance",
                shape: &AMOUNT,
                doc: "For `numeric_tolerance`: how far the number may be from the expected one.",
            },
            Field {
                name: "relative",
                shape: &BOOL,
                doc: "For `numeric_tolerance`: whether `tolerance` is a share of the expected number.",
            },
            Field {
                name: "formats",
                shape: &TEXTS,
                doc: "For `date`: the formats in which dates may be written, such as `DD/MM/YYYY`.",
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
