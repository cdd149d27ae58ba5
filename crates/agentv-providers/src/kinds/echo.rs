//! `echo`: the question as the answer.

use agentv_syntax::{Kind, Others, Record};

pub(super) static KIND: Kind = Kind {
    name: "echo",
    aliases: &[],
    doc: "Answers with the last message of the user.",
    options: Record {
        name: "echo",
        fields: &[],
        required: &[],
        others: Others::Refuse,
    },
    shorthand: None,
};
