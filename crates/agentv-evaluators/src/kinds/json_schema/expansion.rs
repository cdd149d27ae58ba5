//! Bounding the number of checks that a JSON Schema makes of one value, before it validates any
//! answer.

use std::collections::HashMap;

use serde_json::{Map, Value};
use thiserror::Error;

/// The maximum number of checks of one value of an answer.
const MOST: u64 = 100_000;
/// The maximum nesting of schemas, with references followed.
const DEEPEST: usize = 500;
/// The maximum number of steps for counting.
const STEPS: usize = 1_000_000;

/// The reason why validating with a schema could take too long.
#[derive(Debug, PartialEq, Eq, Error)]
pub(super) enum ExpansionError {
    #[error(
        "its references multiply, so that one value would be checked more than 100,000 times; \
         refer to each part once"
    )]
    Multiplies,
    #[error("its references are nested more than 500 levels deep")]
    TooDeep,
    #[error("it is too large: it has more than 1,000,000 parts")]
    TooLarge,
}

/// Refuses a schema whose references multiply or nest too deeply.
///
/// # Errors
/// Returns the reason, with advice.
pub(super) fn check(schema: &Value) -> Result<(), ExpansionError> {
    let mut expansion = Expansion {
        resources: Vec::new(),
        anchors: HashMap::new(),
        known: HashMap::new(),
        steps: 0,
    };
    expansion.collect(schema, true);
    match expansion.looks(schema, 0)? {
        looks if looks > MOST => Err(ExpansionError::Multiplies),
        _ => Ok(()),
    }
}

struct Expansion<'s> {
    /// The schemas that references may be relative to: the whole, and parts with an `$id`.
    resources: Vec<&'s Value>,
    anchors: HashMap<&'s str, Vec<&'s Value>>,
    /// The counts so far. A schema that is still being counted has 0, so recursion adds nothing.
    known: HashMap<*const Value, u64>,
    steps: usize,
}

impl<'s> Expansion<'s> {
    fn collect(&mut self, schema: &'s Value, is_whole: bool) {
        let named = |key: &str| schema.get(key).and_then(Value::as_str);
        if is_whole || named("$id").or(named("id")).is_some() {
            self.resources.push(schema);
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = named(key) {
                self.anchors.entry(name).or_default().push(schema);
            }
        }
        match schema {
            Value::Object(fields) => fields.values().for_each(|value| self.collect(value, false)),
            Value::Array(items) => items.iter().for_each(|value| self.collect(value, false)),
            _ => {}
        }
    }

    /// Returns the maximum number of checks that a schema makes of one value.
    fn looks(&mut self, schema: &'s Value, depth: usize) -> Result<u64, ExpansionError> {
        let Value::Object(fields) = schema else {
            return Ok(0);
        };
        self.step()?;
        if depth > DEEPEST {
            return Err(ExpansionError::TooDeep);
        }
        let place = std::ptr::from_ref(schema);
        if let Some(looks) = self.known.get(&place) {
            return Ok(*looks);
        }
        self.known.insert(place, 0);
        let looks = self.looks_of_fields(fields, depth)?;
        self.known.insert(place, looks);
        Ok(looks)
    }

    fn looks_of_fields(
        &mut self,
        fields: &'s Map<String, Value>,
        depth: usize,
    ) -> Result<u64, ExpansionError> {
        let mut looks: u64 = 1;
        let mut named: u64 = 0;
        for (key, value) in fields {
            let more = match (key.as_str(), value) {
                ("$defs" | "definitions" | "enum" | "const" | "default" | "examples", _) => 0,
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(to)) => {
                    self.looks_of_reference(to, depth)?
                }
                // A value has one name, and is additional only if no property has that name.
                ("properties", Value::Object(parts)) => {
                    let most = self.most(parts.values(), depth)?;
                    named = named.max(most);
                    0
                }
                ("additionalProperties", _) => {
                    let looks = self.looks(value, depth + 1)?;
                    named = named.max(looks);
                    0
                }
                (
                    "patternProperties" | "dependentSchemas" | "dependencies",
                    Value::Object(parts),
                ) => self.sum(parts.values(), depth)?,
                (_, Value::Array(parts)) => self.sum(parts.iter(), depth)?,
                (_, Value::Object(_)) => self.looks(value, depth + 1)?,
                _ => 0,
            };
            looks = looks.saturating_add(more);
        }
        Ok(looks.saturating_add(named))
    }

    fn most(
        &mut self,
        parts: impl Iterator<Item = &'s Value>,
        depth: usize,
    ) -> Result<u64, ExpansionError> {
        let mut most = 0;
        for part in parts {
            most = most.max(self.looks(part, depth + 1)?);
        }
        Ok(most)
    }

    fn sum(
        &mut self,
        parts: impl Iterator<Item = &'s Value>,
        depth: usize,
    ) -> Result<u64, ExpansionError> {
        let mut sum: u64 = 0;
        for part in parts {
            sum = sum.saturating_add(self.looks(part, depth + 1)?);
        }
        Ok(sum)
    }

    /// Returns the maximum over the possible targets of a reference.
    fn looks_of_reference(&mut self, to: &str, depth: usize) -> Result<u64, ExpansionError> {
        let targets = self.targets(to);
        self.most(targets.into_iter(), depth)
    }

    fn targets(&mut self, to: &str) -> Vec<&'s Value> {
        let (base, fragment) = to.split_once('#').unwrap_or((to, ""));
        let mut targets = self.anchors.get(fragment).cloned().unwrap_or_default();
        if fragment.is_empty() || fragment.starts_with('/') {
            let fragment = decoded(fragment);
            self.steps += self.resources.len();
            let resources = self.resources.iter();
            let meant = resources.filter(|resource| base.is_empty() || is_called(resource, base));
            targets.extend(meant.filter_map(|resource| resource.pointer(&fragment)));
        }
        targets
    }

    fn step(&mut self) -> Result<(), ExpansionError> {
        self.steps += 1;
        if self.steps > STEPS {
            Err(ExpansionError::TooLarge)
        } else {
            Ok(())
        }
    }
}

/// Returns true if the last part of a resource's address equals that of a reference.
fn is_called(resource: &Value, address: &str) -> bool {
    let last = |address: &str| {
        let address = address.trim_end_matches('#');
        let start = address.rfind('/').map_or(0, |slash| slash + 1);
        address[start..].to_owned()
    };
    let id = resource.get("$id").or_else(|| resource.get("id"));
    let id = id.and_then(Value::as_str);
    id.is_some_and(|id| last(id) == last(address))
}

/// Decodes the percent signs of a fragment.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        (rest, _) = match byte.filter(|_| *first == b'%') {
            Some(byte) => (&after[2..], bytes.push(byte)),
            None => (after, bytes.push(*first)),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Returns a schema of `levels`, each made by `make` from a reference to the next one.
    fn chain(levels: usize, make: impl Fn(Value) -> Value) -> Value {
        let mut levels: Map<String, Value> = (0..levels)
            .map(|level| {
                let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
                (format!("l{level}"), make(next))
            })
            .collect();
        levels.insert(format!("l{}", levels.len()), json!({"type": "object"}));
        json!({"$defs": levels, "$ref": "#/$defs/l0"})
    }

    #[test]
    fn references_that_multiply_are_refused() {
        let twice: &[fn(Value) -> Value] = &[
            |next| json!({"allOf": [next.clone(), next]}),
            |next| json!({"anyOf": [next.clone(), next]}),
            |next| json!({"if": next.clone(), "then": next}),
            |next| json!({"items": {"oneOf": [next.clone(), next]}}),
            |next| json!({"properties": {"a": next.clone()}, "additionalProperties": next.clone(), "patternProperties": {"a": next}}),
            |next| json!({"not": {"dependentSchemas": {"a": next.clone(), "b": next}}}),
        ];
        for make in twice {
            assert!(check(&chain(10, make)).is_ok(), "{}", chain(1, make));
            let refused = check(&chain(40, make)).unwrap_err();
            assert_eq!(refused, ExpansionError::Multiplies);
        }
    }

    #[test]
    fn references_by_anchors_and_addresses_are_counted_too() {
        let mut parts = Map::new();
        for level in 0..40 {
            let (by_name, by_address) =
                (format!("#n{}", level + 1), format!("a{}.json", level + 1));
            let part = json!({
                "$id": format!("https://example.com/a{level}.json"), "$anchor": format!("n{level}"),
                "allOf": [{"$ref": by_name}, {"$ref": by_address}],
            });
            parts.insert(format!("l{level}"), part);
        }
        let schema = json!({"$defs": parts, "$ref": "a0.json"});
        assert!(check(&schema).is_err());
    }

    #[test]
    fn references_that_are_too_deep_are_refused() {
        let deep = check(&chain(100_000, |next| json!({"allOf": [next]}))).unwrap_err();
        assert_eq!(deep, ExpansionError::TooDeep);
    }

    #[test]
    fn ordinary_schemas_are_taken() {
        let tree = json!({"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        let values = json!({"$defs": {"value": {"anyOf": [
            {"type": "array", "items": {"$ref": "#/$defs/value"}},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/value"}},
            {"type": ["string", "number"]},
        ]}}, "$ref": "#/$defs/value"});
        let fields =
            |next: Value| json!({"properties": {"a": next.clone(), "b": next.clone(), "c": next}});
        let escaped = json!({"$defs": {"a/b c": true, "x": {}}, "$ref": "#/$defs/a~1b%20c", "definitions": {}});
        for schema in [tree, values, chain(40, fields), escaped, json!(true)] {
            assert_eq!(check(&schema), Ok(()), "{schema}");
        }
    }
}
