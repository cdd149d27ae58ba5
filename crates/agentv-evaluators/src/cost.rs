//! `cost`: the answer was cheap enough.

use agentv_syntax::shape::AMOUNT;
use agentv_syntax::{Field, Kind, Others, Record};

pub(crate) static KIND: Kind = Kind {
    name: "cost",
    aliases: &[],
    doc: "Passes when the answer cost no more than a budget.",
    options: Record {
        name: "cost",
        fields: &[Field {
            name: "budget",
            shape: &AMOUNT,
            doc: "The most that the answer may cost, in US dollars.",
        }],
        required: &[&["budget"]],
        others: Others::Warn,
    },
    shorthand: Some("budget"),
};
