//! `token_usage`: the answer took few enough tokens.

use agentv_syntax::shape::COUNT;
use agentv_syntax::{Field, Kind, Others, Record};

pub(crate) static KIND: Kind = Kind {
    name: "token_usage",
    aliases: &[],
    doc: "Passes when the answer took no more than a number of tokens.",
    options: Record {
        name: "token_usage",
        fields: &[
            Field {
                name: "max_total",
                shape: &COUNT,
                doc: "The most tokens of input and output together.",
            },
            Field {
                name: "max_input",
                shape: &COUNT,
                doc: "The most tokens of input.",
            },
            Field {
                name: "max_output",
                shape: &COUNT,
                doc: "The most tokens of output.",
            },
        ],
        required: &[&["max_total", "max_input", "max_output"]],
        others: Others::Warn,
    },
    shorthand: Some("max_total"),
};
