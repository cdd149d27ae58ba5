//! `contains_any`: one of several texts stands in the answer.

use agentv_syntax::{Field, Kind, Others, Record};

use crate::matching::{IGNORE_CASE, NEGATE, TEXTS};

pub(crate) static KIND: Kind = Kind {
    name: "contains_any",
    aliases: &[],
    doc: "Passes when the answer contains at least one of several texts.",
    options: Record {
        name: "contains_any",
        fields: &[
            Field {
                name: "values",
                shape: &TEXTS,
                doc: "The texts to look for, one of which is enough.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["values"]],
        others: Others::Warn,
    },
    shorthand: Some("values"),
};
