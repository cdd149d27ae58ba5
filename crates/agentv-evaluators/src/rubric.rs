//! `rubric`: a language model goes through a checklist.

use agentv_syntax::rubric::RUBRIC;
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape};

use crate::llm_judge::{AGGREGATE, JUDGES, TARGET};

pub(crate) static KIND: Kind = Kind {
    name: "rubric",
    aliases: &[],
    doc: "Asks a language model which items of a checklist the answer meets.",
    options: Record {
        name: "rubric",
        fields: &[
            Field {
                name: "rubrics",
                shape: &CHECKLIST,
                doc: "The items of the checklist.",
            },
            TARGET,
            JUDGES,
            AGGREGATE,
        ],
        required: &[&["rubrics"]],
        others: Others::Warn,
    },
    shorthand: Some("rubrics"),
};

static CHECKLIST: Shape = Shape {
    expected: "an array of rubrics with at least one",
    forms: &[Form::List {
        items: &RUBRIC,
        at_least: 1,
    }],
};
