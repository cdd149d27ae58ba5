//! Turns shapes into JSON Schemas (draft 2020-12), for editors.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::registry::{Definitions, Registry};
use crate::shape::{Field, Form, Kind, Others, Record, Shape, Text};

/// Returns the JSON Schema of a file whose content has this shape.
pub fn of_file(title: &str, shape: &Shape, definitions: Definitions) -> Value {
    let mut writer = Writer {
        definitions,
        defs: Map::new(),
    };
    let mut root = writer.shape(shape);
    // A file with nothing in it says as much as one with an empty mapping.
    if let [Form::Record(record)] = shape.forms
        && record.required.is_empty()
    {
        root = json!({ "anyOf": [root, { "type": "null" }] });
    }
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
    });
    if let (Value::Object(schema), Value::Object(root)) = (&mut schema, root) {
        schema.extend(root);
        writer.defs.sort_keys();
        schema.insert("$defs".to_owned(), Value::Object(writer.defs));
    }
    schema
}

struct Writer {
    definitions: Definitions,
    defs: Map<String, Value>,
}

impl Writer {
    fn shape(&mut self, shape: &Shape) -> Value {
        let forms = shape.forms.iter();
        let accepted = forms.filter(|form| !matches!(form, Form::Refused { .. }));
        let mut forms: Vec<Value> = accepted.map(|form| self.form(form)).collect();
        if forms.len() == 1 {
            forms.remove(0)
        } else {
            json!({ "anyOf": forms })
        }
    }

    fn form(&mut self, form: &Form) -> Value {
        match form {
            Form::Any => json!({}),
            Form::Bool => json!({ "type": "boolean" }),
            Form::Number { min, max, integer } => number(*min, *max, *integer),
            Form::Text(text) => self.text(*text),
            Form::List { items, at_least } => {
                let mut list = json!({ "type": "array", "items": self.shape(items) });
                if *at_least > 0 {
                    list["minItems"] = json!(at_least);
                }
                list
            }
            Form::Record(record) => self.reference(record.name, |writer| writer.record(record)),
            Form::Map(values) => {
                json!({ "type": "object", "additionalProperties": self.shape(values) })
            }
            Form::Evaluator => {
                let registry = self.definitions.evaluators;
                self.reference(registry.noun, |writer| writer.registry(registry))
            }
            Form::Target => {
                let registry = self.definitions.targets;
                self.reference("target", |writer| writer.registry(registry))
            }
            Form::Checked { form, .. } => self.form(form),
            Form::Refused { .. } => json!(false),
        }
    }

    fn text(&self, text: Text) -> Value {
        match text {
            Text::Any | Text::File | Text::TextOrFile | Text::Folder | Text::FolderToCopy => {
                json!({ "type": "string" })
            }
            Text::Filled => json!({ "type": "string", "minLength": 1 }),
            Text::OneOf(words) => json!({ "type": "string", "enum": words }),
            Text::Reference(words) => reference_text(words),
            Text::EvaluatorType => {
                let names: Vec<_> = self.definitions.evaluators.names().collect();
                json!({ "type": "string", "enum": names })
            }
            Text::EvaluatorAlone => {
                let kinds = self.definitions.evaluators.kinds.iter();
                let alone = kinds.filter(|kind| kind.options.required.is_empty());
                let names: Vec<_> = alone.map(|kind| kind.name).collect();
                json!({ "type": "string", "enum": names })
            }
        }
    }

    /// Returns a reference to a definition, which is written once.
    fn reference(&mut self, name: &str, write: impl FnOnce(&mut Self) -> Value) -> Value {
        let name = name.replace(' ', "_");
        if !self.defs.contains_key(&name) {
            // Reserved first, because definitions refer to themselves.
            self.defs.insert(name.clone(), Value::Null);
            let written = write(self);
            self.defs.insert(name.clone(), written);
        }
        reference_to(&name)
    }

    fn record(&mut self, record: &Record) -> Value {
        let mut object = json!({ "type": "object", "properties": self.properties(record) });
        self.require(&mut object, record.required);
        if record.others == Others::Refuse {
            object["additionalProperties"] = json!(false);
        }
        object
    }

    fn properties(&mut self, record: &Record) -> Map<String, Value> {
        let required = |name| record.required.contains(&[name].as_slice());
        let mut properties = Map::new();
        for field in record.fields {
            properties.insert(
                field.name.to_owned(),
                self.field(field, required(field.name)),
            );
        }
        properties
    }

    fn field(&mut self, field: &Field, required: bool) -> Value {
        let mut schema = self.shape(field.shape);
        if !required && schema.as_object().is_some_and(|schema| !schema.is_empty()) {
            schema = json!({ "anyOf": [schema, { "type": "null" }] });
        }
        if let Value::Object(schema) = &mut schema {
            schema.insert("description".to_owned(), json!(field.doc));
        }
        schema
    }

    fn require(&mut self, object: &mut Value, groups: &[&[&str]]) {
        let single: Vec<_> = groups
            .iter()
            .filter(|group| group.len() == 1)
            .map(|group| group[0])
            .collect();
        if !single.is_empty() {
            object["required"] = json!(single);
        }
        let choices: Vec<Value> = groups
            .iter()
            .filter(|group| group.len() > 1)
            .map(|group| {
                let names: Vec<_> = group
                    .iter()
                    .map(|name| json!({ "required": [name] }))
                    .collect();
                json!({ "anyOf": names })
            })
            .collect();
        if !choices.is_empty() {
            object["allOf"] = Value::Array(choices);
        }
    }

    fn registry(&mut self, registry: &'static Registry) -> Value {
        let mut kinds = Vec::new();
        for kind in registry.kinds {
            kinds.push(self.kind(registry, kind));
            kinds.extend(
                kind.shorthand
                    .and_then(|option| self.shorthand(kind, option)),
            );
        }
        self.share_options(registry.noun, &mut kinds);
        json!({ "anyOf": kinds })
    }

    /// Writes every option that several kinds have once, as a definition that they refer to.
    fn share_options(&mut self, noun: &str, kinds: &mut [Value]) {
        let mut options: HashMap<String, SharedOption> = HashMap::new();
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let each = kinds
            .iter()
            .filter_map(|kind| kind["properties"].as_object());
        for (name, schema) in each.flatten() {
            let key = schema.to_string();
            options
                .entry(key)
                .and_modify(|known| known.is_shared = true)
                .or_insert_with(|| {
                    let number = numbers.entry(name).or_default();
                    *number += 1;
                    let name = match *number {
                        1 => format!("{noun}_{name}"),
                        number => format!("{noun}_{name}_{number}"),
                    };
                    SharedOption {
                        name: name.replace(' ', "_"),
                        is_shared: false,
                    }
                });
        }
        let each = kinds
            .iter_mut()
            .filter_map(|kind| kind["properties"].as_object_mut());
        for schema in each.flat_map(Map::values_mut) {
            let key = schema.to_string();
            let known = options.get(&key).filter(|known| known.is_shared);
            if let Some(known) = known.filter(|_| key.len() > SHORT) {
                let schema = std::mem::replace(schema, reference_to(&known.name));
                self.defs.insert(known.name.clone(), schema);
            }
        }
    }

    fn kind(&mut self, registry: &'static Registry, kind: &'static Kind) -> Value {
        let names: Vec<_> = std::iter::once(kind.name)
            .chain(kind.aliases.iter().copied())
            .collect();
        let mut properties = self.properties(registry.common);
        properties.extend(self.properties(&kind.options));
        if registry.camel_case {
            let camel: Vec<_> = properties
                .iter()
                .map(|(name, schema)| (camel_case(name), schema.clone()))
                .collect();
            properties.extend(camel);
        }
        properties.insert(registry.tag.to_owned(), json!({ "enum": names }));
        let mut object = json!({
            "type": "object",
            "title": kind.name,
            "description": kind.doc,
            "properties": properties,
        });
        let mut groups: Vec<&[&str]> = registry.common.required.to_vec();
        groups.extend(kind.options.required);
        let camel_choices: Vec<Vec<String>> = groups
            .iter()
            .filter(|_| registry.camel_case)
            .map(|group| {
                let both = group
                    .iter()
                    .flat_map(|name| [(*name).to_owned(), camel_case(name)]);
                let mut names: Vec<String> = both.collect();
                names.dedup();
                names
            })
            .collect();
        if registry.camel_case {
            let borrowed: Vec<Vec<&str>> = camel_choices
                .iter()
                .map(|group| group.iter().map(String::as_str).collect())
                .collect();
            let groups: Vec<&[&str]> = borrowed.iter().map(Vec::as_slice).collect();
            self.require(&mut object, &groups);
        } else {
            self.require(&mut object, &groups);
        }
        if kind.options.others == Others::Refuse {
            object["additionalProperties"] = json!(false);
        }
        object
    }

    fn shorthand(&mut self, kind: &'static Kind, option: &str) -> Option<Value> {
        let field = kind.options.field(option)?;
        let schema = self.field(field, true);
        Some(json!({
            "type": "object",
            "title": format!("{}: {option}", kind.name),
            "properties": { kind.name: schema },
            "required": [kind.name],
            "additionalProperties": false,
        }))
    }
}

/// An option of kinds.
struct SharedOption {
    /// The name of its definition.
    name: String,
    /// True if it occurs more than once.
    is_shared: bool,
}

/// A schema of this length is shorter than most references to it.
const SHORT: usize = 80;

fn reference_to(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// Returns the schema of a text that takes its value from the environment, or is one of `words`.
fn reference_text(words: &[&str]) -> Value {
    let reference = json!({ "type": "string", "pattern": r"\$\{\{\s*[^}\s][^}]*\}\}" });
    if words.is_empty() {
        reference
    } else {
        json!({ "anyOf": [{ "type": "string", "enum": words }, reference] })
    }
}

fn number(min: f64, max: f64, integer: bool) -> Value {
    const WHOLE_LIMIT: f64 = 9_007_199_254_740_991.0;
    let mut schema = json!({ "type": if integer { "integer" } else { "number" } });
    if min > f64::MIN {
        schema["minimum"] = bound(min);
    }
    if max < WHOLE_LIMIT {
        schema["maximum"] = bound(max);
    }
    schema
}

fn bound(value: f64) -> Value {
    if value.fract() == 0.0 {
        json!(value as i64)
    } else {
        json!(value)
    }
}

fn camel_case(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    let mut upper = false;
    for letter in name.chars() {
        if letter == '_' {
            upper = true;
        } else {
            camel.push(if upper {
                letter.to_ascii_uppercase()
            } else {
                letter
            });
            upper = false;
        }
    }
    camel
}
