//! The meaning of a place in a document: the fields and values that the formats have there.

use std::collections::BTreeSet;

use agentv_dataset::{FileRole, dialect_schema, dialect_schemas, shapes};
use agentv_project::DEFINITIONS;
use agentv_providers::TARGETS_FILE;
use agentv_syntax::{Field, Form, Kind, Registry, Shape, snake_case};
use serde_json::Value;

use crate::loose::{LooseNode, Step};

/// The language that a document is written in.
#[derive(Debug)]
pub(crate) enum Language {
    /// One of ours.
    Ours(&'static Shape),
    /// A dialect of another tool, by its JSON Schema.
    Dialect(Box<Value>),
}

impl Language {
    /// Returns the language of a document: that of its role, or the dialect that knows the most of its keys.
    pub(crate) fn of(role: FileRole, is_lines: bool, root: &LooseNode) -> Language {
        match role {
            FileRole::EvalFile if is_lines => Language::Ours(&shapes::CASE),
            FileRole::EvalFile if root.get("evalcases").is_some() => Language::Ours(&shapes::SUITE),
            FileRole::EvalFile => match dialect_of(root) {
                Some(schema) => Language::Dialect(Box::new(schema)),
                None => Language::Ours(&shapes::SUITE),
            },
            FileRole::Sidecar => Language::Ours(&shapes::SIDECAR),
            FileRole::Config => Language::Ours(&shapes::CONFIG),
            FileRole::Targets => Language::Ours(&TARGETS_FILE),
        }
    }
}

fn dialect_of(root: &LooseNode) -> Option<Value> {
    let schemas = dialect_schemas().filter_map(dialect_schema);
    let known_keys = |schema: &Value| {
        let keys = root.entries().iter().filter_map(|entry| entry.key.text());
        keys.filter(|key| schema["properties"].get(key).is_some())
            .count()
    };
    let has_cases = ["tests", "eval_cases", "scenarios", "prompts"];
    if !has_cases.iter().any(|name| root.get(name).is_some()) {
        return None;
    }
    schemas.max_by_key(known_keys)
}

/// A name that may be written at a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) name: String,
    /// Its purpose, in a sentence.
    pub(crate) doc: String,
    /// The values that it takes, in words.
    pub(crate) expected: String,
}

/// A place in a document of ours, by the shapes.
#[derive(Debug)]
pub(crate) struct ShapePlace {
    /// The forms that the value may have.
    forms: Vec<&'static Form>,
    /// The field that the value belongs to.
    pub(crate) field: Option<Field>,
    /// The family that the value names a kind of.
    pub(crate) names_kind_of: Option<&'static Registry>,
}

impl ShapePlace {
    /// Follows a path from the root of a document.
    pub(crate) fn at(root: &'static Shape, tree: &LooseNode, path: &[Step]) -> Option<ShapePlace> {
        let mut place = ShapePlace {
            forms: written(root),
            field: None,
            names_kind_of: None,
        };
        let mut node = Some(tree);
        for step in path {
            place = match step {
                Step::Index(index) => {
                    let next = place.items();
                    node = node.and_then(|node| node.items().get(*index));
                    next?
                }
                Step::Key(name) => {
                    let next = place.field(name, node);
                    node = node.and_then(|node| node.get(name));
                    next?
                }
            };
        }
        Some(place)
    }

    fn items(&self) -> Option<ShapePlace> {
        let forms: Vec<&'static Form> = self
            .forms
            .iter()
            .filter_map(|form| match form {
                Form::List { items, .. } => Some(written(items)),
                _ => None,
            })
            .flatten()
            .collect();
        (!forms.is_empty()).then_some(ShapePlace {
            forms,
            field: self.field,
            names_kind_of: None,
        })
    }

    /// Returns the place of a field of an object here.
    fn field(&self, name: &str, object: Option<&LooseNode>) -> Option<ShapePlace> {
        self.forms.iter().find_map(|form| {
            let field = match form {
                Form::Record(record) => *record.field(name)?,
                Form::Map(values) => {
                    return Some(ShapePlace {
                        forms: written(values),
                        field: None,
                        names_kind_of: None,
                    });
                }
                Form::Evaluator | Form::Target => {
                    let registry = registry_of(form)?;
                    let field = field_of_kind(registry, name, object)?;
                    return Some(ShapePlace {
                        forms: written(field.shape),
                        names_kind_of: (field.name == registry.tag).then_some(registry),
                        field: Some(field),
                    });
                }
                _ => return None,
            };
            Some(ShapePlace {
                forms: written(field.shape),
                field: Some(field),
                names_kind_of: None,
            })
        })
    }

    /// Returns the forms of the value.
    pub(crate) fn forms(&self) -> &[&'static Form] {
        &self.forms
    }

    /// Returns the place of the items, if the value may be a list.
    pub(crate) fn of_items(&self) -> Option<ShapePlace> {
        self.items()
    }

    /// Returns the keys of an object here.
    pub(crate) fn keys(&self, object: Option<&LooseNode>) -> Vec<Known> {
        let mut keys = Vec::new();
        for form in &self.forms {
            match form {
                Form::Record(record) => keys.extend(record.fields.iter().map(known_field)),
                Form::Evaluator | Form::Target => {
                    let Some(registry) = registry_of(form) else {
                        continue;
                    };
                    let kind = kind_of(registry, object);
                    let own = kind.into_iter().flat_map(|kind| kind.options.fields);
                    keys.extend(own.chain(registry.common.fields).map(known_field));
                    if kind.is_none() {
                        keys.extend(shorthands(registry));
                    }
                }
                _ => {}
            }
        }
        let mut seen = BTreeSet::new();
        keys.retain(|key| seen.insert(key.name.clone()));
        keys
    }
}

fn registry_of(form: &Form) -> Option<&'static Registry> {
    match form {
        Form::Evaluator => Some(DEFINITIONS.evaluators),
        Form::Target => Some(DEFINITIONS.targets),
        _ => None,
    }
}

/// Returns the kind that an object names.
pub(crate) fn kind_of(
    registry: &'static Registry,
    object: Option<&LooseNode>,
) -> Option<&'static Kind> {
    registry.kind(object?.get(registry.tag)?.text()?)
}

fn field_of_kind(
    registry: &'static Registry,
    written: &str,
    object: Option<&LooseNode>,
) -> Option<Field> {
    let name = if registry.camel_case {
        snake_case(written)
    } else {
        written.into()
    };
    let kind = kind_of(registry, object);
    let of_kind = kind.and_then(|kind| kind.options.field(&name));
    let known = of_kind.or_else(|| registry.common.field(&name));
    let short = || {
        let kind = registry.kind(written).filter(|_| kind.is_none())?;
        let field = kind.options.field(kind.shorthand?)?;
        Some(Field {
            name: kind.name,
            doc: kind.doc,
            shape: field.shape,
        })
    };
    known.copied().or_else(short)
}

/// Returns the kinds that can be written as `kind: value`.
fn shorthands(registry: &'static Registry) -> impl Iterator<Item = Known> {
    registry.kinds.iter().filter_map(|kind| {
        let field = kind.options.field(kind.shorthand?)?;
        Some(Known {
            name: kind.name.to_owned(),
            doc: kind.doc.to_owned(),
            expected: field.shape.expected.to_owned(),
        })
    })
}

fn known_field(field: &Field) -> Known {
    Known {
        name: field.name.to_owned(),
        doc: field.doc.to_owned(),
        expected: field.shape.expected.to_owned(),
    }
}

fn written(shape: &'static Shape) -> Vec<&'static Form> {
    shape.forms.iter().map(Form::written).collect()
}

/// Returns the parts of a JSON Schema that describe the value at a path.
pub(crate) fn schemas_at<'s>(root: &'s Value, path: &[Step]) -> Vec<&'s Value> {
    let mut here = alternatives(root, root);
    for step in path {
        let next = here.into_iter().filter_map(|schema| match step {
            Step::Index(_) => schema.get("items"),
            Step::Key(name) => schema.get("properties")?.get(name),
        });
        here = next.flat_map(|schema| alternatives(root, schema)).collect();
    }
    here
}

fn alternatives<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s Value> {
    let pointer = schema.get("$ref").and_then(Value::as_str);
    if let Some(target) = pointer.and_then(|pointer| root.pointer(pointer.strip_prefix('#')?)) {
        return alternatives(root, target);
    }
    match schema.get("anyOf").and_then(Value::as_array) {
        Some(schemas) => schemas
            .iter()
            .flat_map(|schema| alternatives(root, schema))
            .collect(),
        None => vec![schema],
    }
}

/// Returns the keys of an object that a JSON Schema describes.
pub(crate) fn keys_of_schemas(schemas: &[&Value]) -> Vec<Known> {
    let objects = schemas
        .iter()
        .filter_map(|schema| schema["properties"].as_object());
    let keys = objects.flatten().map(|(name, schema)| Known {
        name: name.clone(),
        doc: schema["description"]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
        expected: schema["type"].as_str().unwrap_or_default().to_owned(),
    });
    keys.collect()
}
