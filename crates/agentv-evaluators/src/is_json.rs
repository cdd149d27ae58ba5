//! `is_json`: the answer is JSON.

use agentv_syntax::{Kind, Others, Record};

pub(crate) static KIND: Kind = Kind {
    name: "is_json",
    aliases: &[],
    doc: "Passes when the answer is JSON.",
    options: Record {
        name: "is_json",
        fields: &[],
        required: &[],
        others: Others::Warn,
    },
    shorthand: None,
};
