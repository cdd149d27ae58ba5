//! `latency`: the answer came in time.

use agentv_syntax::shape::AMOUNT;
use agentv_syntax::{Field, Kind, Others, Record};

pub(crate) static KIND: Kind = Kind {
    name: "latency",
    aliases: &[],
    doc: "Passes when the answer came within a time.",
    options: Record {
        name: "latency",
        fields: &[Field {
            name: "threshold",
            shape: &AMOUNT,
            doc: "The longest that the answer may take, in milliseconds.",
        }],
        required: &[&["threshold"]],
        others: Others::Warn,
    },
    shorthand: Some("threshold"),
};
