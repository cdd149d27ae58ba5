//! The targets that are there without any file.

use agentv_core::Extra;
use agentv_syntax::nearest;
use serde_json::Value;

use crate::REGISTRY;
use crate::kinds::{self, ProviderKind};

/// Those with a name of their own; the others are called `VENDOR:MODEL`.
pub const BUILT_IN: &[&str] = &["echo", "mock"];

/// Whether a target of this name is there without any file.
pub(crate) fn exists(name: &str) -> bool {
    match name.split_once(':') {
        Some((vendor, model)) => !model.is_empty() && vendors().any(|known| known == vendor),
        None => BUILT_IN.contains(&name),
    }
}

/// The names that may stand before the colon in `VENDOR:MODEL`.
pub fn vendors() -> impl Iterator<Item = &'static str> {
    let kinds = REGISTRY.kinds.iter();
    kinds
        .filter(|kind| kind.options.field("model").is_some())
        .flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().copied()))
}

/// The target that `name` was probably meant to be, among those of a file and the built-in ones.
pub(crate) fn meant(name: &str, known: &[&str]) -> Option<String> {
    match name.split_once(':') {
        Some((vendor, model)) if !model.is_empty() => {
            nearest(vendor, vendors()).map(|vendor| format!("{vendor}:{model}"))
        }
        _ => {
            nearest(name, known.iter().copied().chain(BUILT_IN.iter().copied())).map(str::to_owned)
        }
    }
}

/// The built-in target of this name: its kind and its fields.
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
