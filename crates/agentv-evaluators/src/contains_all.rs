//! `contains_all`: several texts stand in the answer.

use agentv_syntax::{Field, Kind, Others, Record};

use crate::matching::{IGNORE_CASE, NEGATE, TEXTS};

pub(crate) static KIND: Kind = Kind {
    name: "contains_all",
    aliases: &[],
    doc: "Passes when the answer contains every one of several texts.",
    options: Record {
        name: "contains_all",
        fields: &[
            Field {
                name: "values",
                shape: &TEXTS,
                doc: "The texts to look for, all of which must be there.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["values"]],
        others: Others::Warn,
    },
    shorthand: Some("values"),
};
