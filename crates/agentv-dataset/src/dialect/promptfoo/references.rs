//! References within a configuration: `$ref: '#/assertionTemplates/short'`.

use agentv_syntax::{Placed, PlacedValue};

use super::super::notes::Notes;

/// The most references that lead to each other.
const DEEPEST: usize = 8;

/// Replaces references by the parts of the configuration that they name. Other fields beside one are put over it.
pub(super) fn resolved(suite: &mut Placed, notes: &mut Notes) {
    let whole = suite.clone();
    resolve(suite, &whole, notes, DEEPEST);
}

fn resolve(value: &mut Placed, whole: &Placed, notes: &mut Notes, depth: usize) {
    if let Some(reference) = value.take("$ref") {
        let path = reference
            .value
            .as_str()
            .and_then(|text| text.strip_prefix("#/"));
        let found = path
            .filter(|_| depth > 0)
            .and_then(|path| part(whole, path));
        match found {
            Some(found) => {
                let mut merged = found.clone();
                for field in value.fields() {
                    merged.take(&field.name);
                    merged.put_as(field.name.clone(), field.clone());
                }
                *value = merged;
                return resolve(value, whole, notes, depth - 1);
            }
            None => {
                let instead = "name a part of this file, such as `#/assertionTemplates/NAME`";
                notes.unsupported("$ref", reference.span, instead);
            }
        }
    }
    match &mut value.value {
        PlacedValue::List(items) => {
            for item in items {
                resolve(item, whole, notes, depth);
            }
        }
        PlacedValue::Map(fields) => {
            for field in fields {
                resolve(&mut field.value, whole, notes, depth);
            }
        }
        _ => {}
    }
}

fn part<'p>(whole: &'p Placed, path: &str) -> Option<&'p Placed> {
    let mut found = whole;
    for name in path.split('/') {
        found = match name.parse::<usize>() {
            Ok(index) => found.items().get(index)?,
            Err(_) => found.given(name)?,
        };
    }
    Some(found)
}
