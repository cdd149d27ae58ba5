//! `echo`: the question as the answer.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};

use super::{Facts, ProviderKind};

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

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts {
        is_built_in: true,
        ..Facts::LOCAL
    },
    example: "\
- {name: mirror, provider: echo}
",
    build: crate::echo::build,
};
