//! The JSON Schema of `targets.yaml`.

use agentv_syntax::Definitions;
use serde_json::{Value, json};

use crate::TARGETS_FILE;

/// Returns the JSON Schema of `targets.yaml`, for editors.
pub fn schema(title: &str, definitions: Definitions) -> Value {
    let mut schema = agentv_syntax::schema::of_file(title, &TARGETS_FILE, definitions);
    let definitions = &mut schema["$defs"];
    if let Some(kinds) = definitions["target"]["anyOf"].as_array_mut() {
        kinds.iter_mut().for_each(refuse_both_commands);
    }
    refuse_both_commands(&mut definitions["healthcheck"]);
    schema
}

/// Makes `command` and `command_template` exclude each other if an object has both.
fn refuse_both_commands(object: &mut Value) {
    let names = ["command_template", "commandTemplate"];
    let has = |name: &str| object["properties"].get(name).is_some();
    if has("command") && names.iter().all(|name| has(name)) {
        let both = names.map(|name| json!({ "required": ["command", name] }));
        object["not"] = json!({ "anyOf": both });
    }
}
