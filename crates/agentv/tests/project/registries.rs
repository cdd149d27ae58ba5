//! Rules for every kind of evaluator and provider.

use std::collections::HashSet;

use agentv_dataset::shapes;
use agentv_syntax::{Form, Kind, Record, Registry, Shape};

fn registries() -> [&'static Registry; 2] {
    [&agentv_evaluators::REGISTRY, &agentv_providers::REGISTRY]
}

/// Returns the crate of a registry.
fn stage_of(registry: &Registry) -> &'static str {
    if std::ptr::eq(registry, &agentv_evaluators::REGISTRY) {
        "agentv-evaluators"
    } else {
        "agentv-providers"
    }
}

/// Returns the place of a kind, for messages that say what to change.
fn file_of(registry: &Registry, kind: &Kind) -> String {
    let stage = stage_of(registry);
    let (name, file) = (kind.name, kind.name.replace('-', "_"));
    format!("crates/{stage}/src/kinds/{file}.rs (or {file}/kind.rs), `KIND` of `{name}`")
}

fn is_sentence(doc: &str) -> bool {
    doc.ends_with('.') && doc.trim() == doc && doc.len() > 1
}

/// Returns every record in a shape, without those of evaluators and targets.
fn records(shape: &'static Shape) -> Vec<&'static Record> {
    let mut found = Vec::new();
    for form in shape.forms {
        match form.written() {
            Form::Record(record) => {
                found.push(*record);
                found.extend(record.fields.iter().flat_map(|field| records(field.shape)));
            }
            Form::List { items, .. } => found.extend(records(items)),
            Form::Map(values) => found.extend(records(values)),
            Form::Any
            | Form::Bool
            | Form::Number { .. }
            | Form::Text(_)
            | Form::Evaluator
            | Form::Target
            | Form::Refused { .. }
            | Form::Checked { .. } => {}
        }
    }
    found
}

#[test]
fn every_file_of_a_kind_is_in_the_list() {
    for registry in registries() {
        let stage = stage_of(registry);
        let folder = format!("{}/../{stage}/src/kinds", env!("CARGO_MANIFEST_DIR"));
        let listed = std::fs::read_to_string(format!("{folder}/mod.rs")).unwrap();
        let listed: HashSet<&str> = listed.lines().map(str::trim).collect();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let name = name.trim_end_matches(".rs");
            let words = [format!("{name},"), format!("mod {name};")];
            assert!(
                name == "mod" || words.iter().any(|words| listed.contains(words.as_str())),
                "crates/{stage}/src/kinds/{name} is not in use; add `{name},` to the list in kinds/mod.rs"
            );
        }
    }
}

#[test]
fn every_name_belongs_to_one_kind() {
    for registry in registries() {
        let mut names = HashSet::new();
        for kind in registry.kinds {
            for name in std::iter::once(&kind.name).chain(kind.aliases) {
                let file = file_of(registry, kind);
                let noun = registry.noun;
                assert!(
                    names.insert(*name),
                    "{file}: another {noun} is called `{name}`; change `name` or `aliases`"
                );
            }
        }
    }
}

#[test]
fn every_kind_and_field_says_what_it_is_for() {
    let files = [
        &shapes::SUITE,
        &shapes::SIDECAR,
        &shapes::CONFIG,
        &agentv_providers::TARGETS_FILE,
    ];
    let mut all: Vec<_> = files.into_iter().flat_map(records).collect();
    for registry in registries() {
        all.push(registry.common);
        for kind in registry.kinds {
            assert!(
                is_sentence(kind.doc),
                "{}: `doc` must be a sentence that ends with a full stop, found {:?}",
                file_of(registry, kind),
                kind.doc
            );
            all.push(&kind.options);
            let nested = kind.options.fields.iter();
            all.extend(nested.flat_map(|field| records(field.shape)));
        }
    }
    for record in all {
        for field in record.fields {
            assert!(
                is_sentence(field.doc),
                "the record `{}`, field `{}`: `doc` must be a sentence that ends with a full stop, found {:?}; \
                 fields of kinds are in crates/*/src/kinds",
                record.name,
                field.name,
                field.doc
            );
        }
    }
}

#[test]
fn options_are_distinct_and_do_not_hide_what_all_kinds_have() {
    for registry in registries() {
        for kind in registry.kinds {
            let common = registry.common.fields.iter();
            let mut names: HashSet<_> = common.map(|field| field.name).collect();
            for field in kind.options.fields {
                assert!(
                    names.insert(field.name),
                    "{}: the option `{}` is there twice, or every {} has it already (`common` in \
                     registry.rs); rename or remove it",
                    file_of(registry, kind),
                    field.name,
                    registry.noun
                );
            }
        }
    }
}

#[test]
fn required_fields_and_shorthands_are_options() {
    for registry in registries() {
        for kind in registry.kinds {
            let file = file_of(registry, kind);
            assert_eq!(
                kind.options.name, kind.name,
                "{file}: `options.name` must be the name of the kind"
            );
            let required = kind.options.required.iter().copied().flatten();
            for name in required.chain(&kind.shorthand) {
                assert!(
                    kind.options.field(name).is_some(),
                    "{file}: `{name}` is in `required` or `shorthand`; add it to `options.fields`"
                );
            }
            // A shorthand sets one option only, so that option must be enough.
            if let Some(option) = kind.shorthand {
                let mut groups = kind.options.required.iter();
                assert!(
                    groups.all(|group| group.contains(&option)),
                    "{file}: `shorthand` sets `{option}` only, but `required` needs more; remove one of them"
                );
            }
        }
    }
}
