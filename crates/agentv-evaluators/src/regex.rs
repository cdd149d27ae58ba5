//! `regex`: a regular expression matches in the answer.

use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use crate::matching::{IGNORE_CASE, NEGATE};

pub(crate) static KIND: Kind = Kind {
    name: "regex",
    aliases: &[],
    doc: "Passes when a regular expression matches anywhere in the answer.",
    options: Record {
        name: "regex",
        fields: &[
            Field {
                name: "value",
                shape: &FILLED,
                doc: "The regular expression; anchor it with `^` and `$` to match the whole answer.",
            },
            IGNORE_CASE,
            NEGATE,
        ],
        required: &[&["value"]],
        others: Others::Warn,
    },
    shorthand: Some("value"),
};
