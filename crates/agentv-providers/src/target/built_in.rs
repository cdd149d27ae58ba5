//! Targets that exist without any file.

use agentv_core::Extra;
use agentv_syntax::nearest;
use serde_json::Value;

use crate::kinds::{self, PROVIDERS, ProviderKind};

/// Returns the names of the built-in targets, sorted. All others are called `VENDOR:MODEL`.
pub fn built_in() -> Vec<&'static str> {
    let built_in = PROVIDERS
        .iter()
        .filter(|provider| provider.facts.is_built_in);
    let mut names: Vec<_> = built_in.map(|provider| provider.kind.name).collect();
    names.sort_unstable();
    names
}

/// Lists all targets that can be named: those of a file, and the built-in ones.
pub(crate) fn listing(known: &[&str]) -> String {
    let built_in = format!("built in: {}, VENDOR:MODEL", built_in().join(", "));
    match known {
        [] => built_in,
        known => format!("known: {}; {built_in}", known.join(", ")),
    }
}

/// Lists the vendors that may precede the colon of a name.
pub(crate) fn vendor_listing() -> String {
    let vendors = PROVIDERS.iter().filter(|provider| provider.facts.is_vendor);
    let mut names: Vec<_> = vendors.map(|provider| provider.kind.name).collect();
    names.sort_unstable();
    format!("vendors: {}", names.join(", "))
}

/// Checks that a target of this name exists without any file.
pub(crate) fn exists(name: &str) -> bool {
    match name.split_once(':') {
        Some((vendor, model)) => !model.is_empty() && vendors().any(|known| known == vendor),
        None => built_in().contains(&name),
    }
}

/// Returns the names that may precede the colon in `VENDOR:MODEL`.
pub fn vendors() -> impl Iterator<Item = &'static str> {
    let vendors = PROVIDERS.iter().filter(|provider| provider.facts.is_vendor);
    vendors.flat_map(|provider| {
        let kind = provider.kind;
        std::iter::once(kind.name).chain(kind.aliases.iter().copied())
    })
}

/// Returns the target that `name` was probably meant to be, among those of a file and the built-in
/// ones.
pub(crate) fn meant(name: &str, known: &[&str]) -> Option<String> {
    match name.split_once(':') {
        Some((vendor, model)) if !model.is_empty() => {
            nearest(vendor, vendors()).map(|vendor| format!("{vendor}:{model}"))
        }
        _ => {
            let known = known.iter().copied();
            nearest(name, known.chain(built_in())).map(str::to_owned)
        }
    }
}

/// Returns the built-in target of this name: its kind and its fields.
pub(crate) fn target(name: &str) -> Option<(&'static ProviderKind, Extra)> {
    if !exists(name) {
        return None;
    }
    let (vendor, model) = match name.split_once(':') {
        Some((vendor, model)) => (vendor, Some(model)),
        None => (name, None),
    };
    let model = model.map(|model| ("model".to_owned(), Value::from(model)));
    Some((kinds::named(vendor)?, Extra::from_iter(model)))
}
