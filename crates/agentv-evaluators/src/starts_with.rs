//! `starts_with`: the answer begins with a text.

use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::matching::{IGNORE_CASE, NEGATE};

pub(crate) static KIND: Kind = Kind {
    name: "starts_with",
    aliases: &[],
    doc: "Passes when the answer begins with a text.",
    options: Record {
        name: "starts_with",
        fields: &[
            Field {
                name: "value",
                shape: &FILLED,
                doc: "The text that the answer must begin with.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["value"]],
        others: Others::Warn,
    },
    shorthand: Some("value"),
};
