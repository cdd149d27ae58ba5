//! JSON Schemas of the dialects, for editors.

use serde_json::{Map, Value, json};

use super::ALL;
use super::kind::Dialect;

/// Returns the names of the schemas of all dialects.
pub fn dialect_schemas() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|dialect| dialect.schema)
}

/// Returns the JSON Schema of a dialect: its keys, and the types of its assertions. Values are checked by
/// `agentv validate`.
pub fn dialect_schema(name: &str) -> Option<Value> {
    let dialect = ALL.iter().find(|dialect| dialect.schema == name)?;
    Some(schema(dialect))
}

fn schema(dialect: &Dialect) -> Value {
    let cases = json!({"anyOf": [
        {"type": "string", "description": "A file with cases, or a pattern"},
        {"type": "array", "items": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/case"}]}},
    ]});
    let assertions = json!({"type": "array", "items": {"$ref": "#/$defs/assertion"}});
    let with_assertions = |keys: &[&str]| {
        let mut properties: Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), json!({})))
            .collect();
        if properties.contains_key(dialect.assertions_key) {
            properties.insert(dialect.assertions_key.to_owned(), assertions.clone());
        }
        properties
    };
    let mut suite = with_assertions(dialect.suite_keys);
    suite.insert("$schema".to_owned(), json!({"type": "string"}));
    for key in dialect.case_keys.iter().filter(|key| **key != "scenarios") {
        suite.insert((*key).to_owned(), cases.clone());
    }
    let negated = (dialect.assertions)()
        .into_iter()
        .map(|kind| format!("not-{kind}"));
    let kinds: Vec<String> = (dialect.assertions)()
        .into_iter()
        .map(str::to_owned)
        .chain(negated)
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("{} suite", dialect.name),
        "type": "object",
        "properties": suite,
        "$defs": {
            "case": {"type": "object", "properties": with_assertions(dialect.keys_of_cases)},
            "assertion": {"anyOf": [
                {"type": "string", "description": "An item of a checklist"},
                {"type": "object", "properties": {
                    "type": {"anyOf": [{"enum": kinds}, {"type": "string"}]},
                    "value": {}, "weight": {"type": "number", "minimum": 0}, "threshold": {"type": "number"},
                    "metric": {"type": "string"}, "name": {"type": "string"},
                }},
            ]},
        },
    })
}
