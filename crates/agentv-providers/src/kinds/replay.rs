//! `replay`: answers that were given before.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::{Facts, ProviderKind};

pub(super) static KIND: Kind = Kind {
    name: "replay",
    aliases: &[],
    doc: "Answers from a file or an earlier run.",
    options: Record {
        name: "replay",
        fields: &[Field {
            name: "path",
            shape: &FILLED,
            doc: "A JSONL file of answers, relative to the targets file, or the folder or id of an earlier run. Each line of the file has the `id` of a case, `text` or `output_messages`, and `trial` if several trials are answered.",
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
