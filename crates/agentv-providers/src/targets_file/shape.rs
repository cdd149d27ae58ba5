//! The shape of `targets.yaml`.

use agentv_syntax::shape::TEXT;
use agentv_syntax::{Code, Field, Form, Others, Record, Registry, Shape};

use crate::kinds::ALL;
use crate::target::COMMON;

/// The fields that a target may have, by provider.
pub static REGISTRY: Registry = Registry {
    noun: "provider",
    tag: "provider",
    common: &COMMON,
    kinds: ALL,
    camel_case: true,
    unknown: Code::UnknownProvider,
    check: None,
};

/// The content of `targets.yaml`.
pub static TARGETS_FILE: Shape = Shape {
    expected: "an object with `targets`",
    forms: &[Form::Record(&Record {
        name: "targets file",
        fields: &[
            Field {
                name: "$schema",
                shape: &TEXT,
                doc: "The schema that editors use to check the file.",
            },
            Field {
                name: "targets",
                shape: &TARGETS,
                doc: "The targets.",
            },
        ],
        required: &[&["targets"]],
        others: Others::Refuse,
    })],
};

static TARGETS: Shape = Shape {
    expected: "an array of at least one target",
    forms: &[Form::List {
        items: &TARGET,
        at_least: 1,
    }],
};

static TARGET: Shape = Shape {
    expected: "a target (an object with `name` and `provider`)",
    forms: &[Form::Target],
};
