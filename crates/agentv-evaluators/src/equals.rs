//! `equals`: the answer is a text.

use agentv_syntax::shape::TEXT;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::matching::{IGNORE_CASE, NEGATE};

pub(crate) static KIND: Kind = Kind {
    name: "equals",
    aliases: &[],
    doc: "Passes when the answer is exactly a text.",
    options: Record {
        name: "equals",
        fields: &[
            Field {
                name: "value",
                shape: &TEXT,
                doc: "The text that the answer must be.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["value"]],
        others: Others::Warn,
    },
    shorthand: Some("value"),
};
