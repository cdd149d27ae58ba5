//! Rules for every kind of evaluator and provider.

use std::collections::HashSet;

use agentv_dataset::shapes;
use agentv_syntax::{Form, Record, Registry, Shape};

fn registries() -> [&'static Registry; 2] {
    [&agentv_evaluators::REGISTRY, &agentv_providers::REGISTRY]
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
fn every_name_belongs_to_one_kind() {
    for registry in registries() {
        let names: Vec<_> = registry.names().collect();
        let distinct: HashSet<_> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{}", registry.noun);
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
            assert!(is_sentence(kind.doc), "{}: {}", kind.name, kind.doc);
            all.push(&kind.options);
            let nested = kind.options.fields.iter();
            all.extend(nested.flat_map(|field| records(field.shape)));
        }
    }
    for record in all {
        for field in record.fields {
            let name = format!("{} {}", record.name, field.name);
            assert!(is_sentence(field.doc), "{name}: {}", field.doc);
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
                assert!(names.insert(field.name), "{} {}", kind.name, field.name);
            }
        }
    }
}

#[test]
fn required_fields_and_shorthands_are_options() {
    for kind in registries().iter().flat_map(|registry| registry.kinds) {
        assert_eq!(kind.options.name, kind.name);
        let required = kind.options.required.iter().copied().flatten();
        for name in required.chain(&kind.shorthand) {
            assert!(kind.options.field(name).is_some(), "{} {name}", kind.name);
        }
        // A shorthand sets one option only, so that option must be enough.
        if let Some(option) = kind.shorthand {
            let mut groups = kind.options.required.iter();
            let enough = groups.all(|group| group.contains(&option));
            assert!(enough, "{} {option}", kind.name);
        }
    }
}
