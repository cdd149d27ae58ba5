//! `replay`: answers that were given before.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::{Facts, ProviderKind};

pub(super) static KIND: Kind = Kind {
    name: "replay",
    aliases: &[],
    doc: "Gives the answers that stand in a file or in an earlier run.",
    options: Record {
        name: "replay",
        fields: &[Field {
            name: "path",
            shape: &FILLED,
            doc: "A JSONL file of answers by case id (`{id, text}` or `{id, output_messages}`, with `trial` where several are answered), relative to the targets file; or an earlier run, by its folder or its id.",
        }],
        required: &[&["path"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts {
        is_recording: true,
        ..Facts::LOCAL
    },
    example: "\
- {name: past, provider: replay, path: answers.jsonl}
",
    build: crate::replay::build,
};
