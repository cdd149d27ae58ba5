//! `contains`: a text stands in the answer.

use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::matching::{IGNORE_CASE, NEGATE};

pub(crate) static KIND: Kind = Kind {
    name: "contains",
    aliases: &[],
    doc: "Passes when the answer contains a text.",
    options: Record {
        name: "contains",
        fields: &[
            Field {
                name: "value",
                shape: &FILLED,
                doc: "The text to look for.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["value"]],
        others: Others::Warn,
    },
    shorthand: Some("value"),
};
