//! The providers that a configuration names or defines.

use agentv_syntax::{NodeKind, Placed, PlacedField};

use super::super::source::Translation;

/// A provider.
pub(in super::super) struct Provider {
    /// The name of the target that it is.
    pub(in super::super) name: String,
    /// Its definition, with `name`, `id` and `config`.
    pub(in super::super) definition: Placed,
}

/// Reads the providers of a configuration: they are the targets of its runs.
pub(super) fn read(translation: &mut Translation<'_>, suite: &mut Placed) {
    for key in ["providers", "targets"] {
        let Some(field) = suite.take(key) else {
            continue;
        };
        for provider in listed(translation, &field.value) {
            let Some(provider) = one(&provider) else {
                translation
                    .notes
                    .wrong_type(&provider, "a provider (a text, or an object with `id`)");
                continue;
            };
            let name = translation.define(provider);
            translation.run.targets.push(name);
        }
    }
}

/// Returns the providers of a list, and those of the files that it names.
fn listed(translation: &mut Translation<'_>, providers: &Placed) -> Vec<Placed> {
    let items = match providers.kind() {
        NodeKind::Array => providers.items().to_vec(),
        _ => vec![providers.clone()],
    };
    let mut all = Vec::new();
    for item in items {
        let path = item.as_str().and_then(|text| text.strip_prefix("file://"));
        let is_list = |path: &&str| {
            [".yaml", ".yml", ".json"]
                .iter()
                .any(|end| path.ends_with(end))
        };
        let Some(path) = path.filter(is_list) else {
            all.push(item);
            continue;
        };
        let path = translation.files.project().folder.join(path);
        if let Some(content) = translation.read(&path, &item) {
            // Their places are those of the reference, in the configuration itself.
            let content = Placed::of_value(item.span.clone(), &content.to_value());
            match content.kind() {
                NodeKind::Array => all.extend(content.items().iter().cloned()),
                _ => all.push(content),
            }
        }
    }
    all
}

/// Returns a provider in one form: a text names it, an object with one key has its id as key.
pub(in super::super) fn one(written: &Placed) -> Option<Provider> {
    let mut definition = match written.kind() {
        NodeKind::String => {
            let mut map = Placed::map(written.span.clone());
            map.put("id", written.span.clone(), written.clone());
            map
        }
        NodeKind::Object if written.given("id").is_some() => written.clone(),
        NodeKind::Object => keyed(written)?,
        _ => return None,
    };
    let label = definition.given("label").or_else(|| definition.given("id"));
    let name = label?.clone();
    let text = name.as_str()?.to_owned();
    definition.put("name", name.span.clone(), name);
    Some(Provider {
        name: text,
        definition,
    })
}

/// Returns `openai:gpt-5: {…}` with its id as a field.
fn keyed(written: &Placed) -> Option<Placed> {
    let [PlacedField { name, span, value }] = written.fields() else {
        return None;
    };
    let mut map = value.clone();
    if map.kind() != NodeKind::Object {
        map = Placed::map(written.span.clone());
    }
    map.put("id", span.clone(), Placed::text(span.clone(), name));
    Some(map)
}
