//! The arguments of a call, from the schema of its tool.

use serde_json::{Map, Value, json};

use super::action::Action;
use super::patch;
use super::scene::Scene;

/// Returns arguments that fit the schema and do what the action does.
pub(super) fn arguments(action: &Action, schema: &Value, scene: &Scene) -> Value {
    let mut filled = Map::new();
    let required: Vec<&str> = match schema["required"].as_array() {
        Some(names) => names.iter().filter_map(Value::as_str).collect(),
        None => Vec::new(),
    };
    let properties = schema["properties"].as_object();
    for (name, property) in properties.into_iter().flatten() {
        if let Some(value) = meant(action, name, property, scene) {
            filled.insert(name.clone(), value);
        } else if required.contains(&name.as_str()) {
            filled.insert(name.clone(), any(property));
        }
    }
    Value::Object(filled)
}

/// Returns the value of an argument whose name says what it is.
fn meant(action: &Action, name: &str, property: &Value, scene: &Scene) -> Option<Value> {
    let path = match action {
        Action::Write { path, .. } | Action::Edit { path, .. } | Action::Read { path } => {
            Some(path)
        }
        Action::Shell { .. } | Action::Tool { .. } => None,
    };
    match (name, action) {
        ("command" | "cmd" | "script", Action::Shell { command }) => {
            Some(match property["type"].as_str() {
                Some("array") => json!(["bash", "-c", command]),
                _ => json!(command),
            })
        }
        ("file_path" | "path" | "filePath" | "absolute_path", _) => {
            path.map(|path| json!(absolute(path, scene)))
        }
        ("content" | "file_text" | "text" | "contents", Action::Write { content, .. }) => {
            Some(json!(content))
        }
        ("old_string" | "oldString" | "old_str" | "oldText", Action::Edit { old, .. }) => {
            Some(json!(old))
        }
        ("new_string" | "newString" | "new_str" | "newText", Action::Edit { new, .. }) => {
            Some(json!(new))
        }
        ("edits", Action::Edit { .. }) => {
            Some(json!([arguments(action, &property["items"], scene)]))
        }
        ("input" | "patch" | "patchText", Action::Write { .. } | Action::Edit { .. }) => {
            Some(json!(patch::of(action)))
        }
        _ => None,
    }
}

/// Returns the path in the folder of the agent: many tools refuse a relative one.
fn absolute(path: &str, scene: &Scene) -> String {
    match &scene.folder {
        Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
        _ => path.to_owned(),
    }
}

/// Returns a value that the property takes.
fn any(property: &Value) -> Value {
    if let Some(first) = property["enum"]
        .as_array()
        .and_then(|values| values.first())
    {
        return first.clone();
    }
    match property["type"].as_str() {
        Some("boolean") => json!(false),
        Some("integer" | "number") => property.get("minimum").cloned().unwrap_or(json!(1)),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => json!("Follow the script"),
    }
}
