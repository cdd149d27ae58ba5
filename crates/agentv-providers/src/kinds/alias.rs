//! `alias`: another target under this name.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::{Facts, ProviderKind};
use crate::target::{SettingError, USE_TARGET};

pub(super) static KIND: Kind = Kind {
    name: "alias",
    aliases: &[],
    doc: "Another target under this name, so that the environment can choose it.",
    options: Record {
        name: "alias",
        fields: &[Field {
            name: USE_TARGET,
            shape: &FILLED,
            doc: "The name of the other target, such as `${{ TARGET }}`.",
        }],
        required: &[&[USE_TARGET]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::LOCAL,
    example: "\
- {name: default, provider: alias, use_target: '${{ TARGET }}'}
",
    // The other target is built in its place.
    build: |_| {
        Err(SettingError::of(
            USE_TARGET,
            "the other target was not found",
        ))
    },
};
