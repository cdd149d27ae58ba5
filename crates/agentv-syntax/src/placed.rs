//! A value that keeps the places of its parts in a source, and can be changed.

use std::ops::Range;

use serde_json::Value;

use crate::tree::{Node, NodeKind, Stored, Tree};

/// A value with its place. Values that are made from it, or put around it, can keep that place, so a
/// problem of them still points at the text that the user wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// The place in the source, in bytes.
    pub span: Range<usize>,
    /// The value.
    pub value: PlacedValue,
}

/// A value whose parts have places.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the six kinds of JSON value")]
pub enum PlacedValue {
    Null,
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    Text(String),
    List(Vec<Placed>),
    Map(Vec<PlacedField>),
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedField {
    /// The name.
    pub name: String,
    /// The place of the name.
    pub span: Range<usize>,
    /// The value.
    pub value: Placed,
}

impl From<Node<'_>> for Placed {
    fn from(node: Node<'_>) -> Placed {
        let value = match node.kind() {
            NodeKind::Null => PlacedValue::Null,
            NodeKind::Bool => PlacedValue::Bool(node.is_text("true")),
            NodeKind::Number => PlacedValue::Number(node.text().into_owned()),
            NodeKind::String => PlacedValue::Text(node.text().into_owned()),
            NodeKind::Array => PlacedValue::List(node.items().map(Placed::from).collect()),
            NodeKind::Object => PlacedValue::Map(
                node.fields()
                    .map(|(key, value)| PlacedField {
                        name: key.text().into_owned(),
                        span: key.span(),
                        value: Placed::from(value),
                    })
                    .collect(),
            ),
        };
        Placed {
            span: node.span(),
            value,
        }
    }
}

impl Placed {
    /// Returns a text.
    pub fn text(span: Range<usize>, text: impl Into<String>) -> Placed {
        let value = PlacedValue::Text(text.into());
        Placed { span, value }
    }

    /// Returns an array.
    pub fn list(span: Range<usize>, items: Vec<Placed>) -> Placed {
        let value = PlacedValue::List(items);
        Placed { span, value }
    }

    /// Returns an object without fields.
    pub fn map(span: Range<usize>) -> Placed {
        let value = PlacedValue::Map(Vec::new());
        Placed { span, value }
    }

    /// Returns a value all of whose parts are at one place.
    pub fn of_value(span: Range<usize>, value: &Value) -> Placed {
        let value = match value {
            Value::Null => PlacedValue::Null,
            Value::Bool(value) => PlacedValue::Bool(*value),
            Value::Number(number) => PlacedValue::Number(number.to_string()),
            Value::String(text) => PlacedValue::Text(text.clone()),
            Value::Array(items) => {
                let items = items.iter();
                PlacedValue::List(items.map(|it| Placed::of_value(span.clone(), it)).collect())
            }
            Value::Object(fields) => PlacedValue::Map(
                fields
                    .iter()
                    .map(|(name, value)| PlacedField {
                        name: name.clone(),
                        span: span.clone(),
                        value: Placed::of_value(span.clone(), value),
                    })
                    .collect(),
            ),
        };
        Placed { span, value }
    }

    /// Returns the value without places.
    pub fn to_value(&self) -> Value {
        match &self.value {
            PlacedValue::Null => Value::Null,
            PlacedValue::Bool(value) => Value::Bool(*value),
            PlacedValue::Number(text) => serde_json::from_str(text).unwrap_or(Value::Null),
            PlacedValue::Text(text) => Value::String(text.clone()),
            PlacedValue::List(items) => items.iter().map(Placed::to_value).collect(),
            PlacedValue::Map(fields) => fields
                .iter()
                .map(|field| (field.name.clone(), field.value.to_value()))
                .collect(),
        }
    }

    /// Returns the kind of the value.
    pub fn kind(&self) -> NodeKind {
        match self.value {
            PlacedValue::Null => NodeKind::Null,
            PlacedValue::Bool(_) => NodeKind::Bool,
            PlacedValue::Number(_) => NodeKind::Number,
            PlacedValue::Text(_) => NodeKind::String,
            PlacedValue::List(_) => NodeKind::Array,
            PlacedValue::Map(_) => NodeKind::Object,
        }
    }

    /// Returns the text, if the value is a string.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            PlacedValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value, if it is a number.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.value {
            PlacedValue::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the value, if it is a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            PlacedValue::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements of an array; nothing for other values.
    pub fn items(&self) -> &[Placed] {
        match &self.value {
            PlacedValue::List(items) => items,
            _ => &[],
        }
    }

    /// Returns the fields of an object; nothing for other values.
    pub fn fields(&self) -> &[PlacedField] {
        match &self.value {
            PlacedValue::Map(fields) => fields,
            _ => &[],
        }
    }

    /// Returns the value of a field. An explicit `null` is the same as none.
    pub fn given(&self, name: &str) -> Option<&Placed> {
        let mut fields = self.fields().iter();
        let field = fields.find(|field| field.name == name)?;
        (field.value.value != PlacedValue::Null).then_some(&field.value)
    }

    /// Removes a field and returns it. An explicit `null` is removed, but is the same as none.
    pub fn take(&mut self, name: &str) -> Option<PlacedField> {
        let PlacedValue::Map(fields) = &mut self.value else {
            return None;
        };
        let at = fields.iter().position(|field| field.name == name)?;
        let field = fields.remove(at);
        (field.value.value != PlacedValue::Null).then_some(field)
    }

    /// Adds a field to an object. Other values stay as they are.
    pub fn put(&mut self, name: impl Into<String>, span: Range<usize>, value: Placed) {
        if let PlacedValue::Map(fields) = &mut self.value {
            fields.push(PlacedField {
                name: name.into(),
                span,
                value,
            });
        }
    }

    /// Adds a field that was taken from an object, under another name.
    pub fn put_as(&mut self, name: impl Into<String>, field: PlacedField) {
        self.put(name, field.span, field.value);
    }

    /// Moves the places of all parts by a number of bytes.
    pub fn shift(&mut self, bytes: usize) {
        let moved = |span: &Range<usize>| span.start + bytes..span.end + bytes;
        self.span = moved(&self.span);
        match &mut self.value {
            PlacedValue::List(items) => items.iter_mut().for_each(|item| item.shift(bytes)),
            PlacedValue::Map(fields) => {
                for field in fields {
                    field.span = moved(&field.span);
                    field.value.shift(bytes);
                }
            }
            _ => {}
        }
    }

    /// Returns a tree of the value, as if it had been parsed from `source`, which its places refer to.
    pub fn to_tree(&self, source: &str) -> Tree {
        let mut tree = Tree::default();
        tree.start(source);
        // Nothing is known about the parts, so everything must be looked at.
        tree.may_repeat_keys = true;
        tree.may_overflow = true;
        tree.has_long_number = true;
        tree.deepest = self.write(&mut tree);
        tree
    }

    /// Adds the value to a tree, and returns its depth.
    fn write(&self, tree: &mut Tree) -> usize {
        let span = place(&self.span);
        match &self.value {
            PlacedValue::Null => tree.scalar(NodeKind::Null, Stored::Bare, span),
            PlacedValue::Bool(value) => {
                let text = if *value { "true" } else { "false" };
                tree.decoded_scalar(NodeKind::Bool, span, text);
            }
            PlacedValue::Number(text) => tree.decoded_scalar(NodeKind::Number, span, text),
            PlacedValue::Text(text) => tree.decoded_scalar(NodeKind::String, span, text),
            PlacedValue::List(items) => {
                let opened = tree.open(NodeKind::Array, span.start);
                let depths = items.iter().map(|item| item.write(tree));
                let depth = depths.max().unwrap_or(0);
                tree.close(opened, span.end);
                return depth + 1;
            }
            PlacedValue::Map(fields) => {
                let opened = tree.open(NodeKind::Object, span.start);
                let mut depth = 0;
                for field in fields {
                    tree.decoded_scalar(NodeKind::String, place(&field.span), &field.name);
                    depth = depth.max(field.value.write(tree));
                }
                tree.close(opened, span.end);
                return depth + 1;
            }
        }
        0
    }
}

fn place(span: &Range<usize>) -> Range<u32> {
    span.start as u32..span.end as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn a_changed_value_keeps_the_places_of_its_parts() {
        let source = "tests:\n  - id: a\n    criteria: Is kind\n";
        let mut tree = Tree::default();
        yaml::parse(source, &mut tree).unwrap();
        let mut suite = Placed::from(tree.root());
        assert_eq!(suite.to_value(), tree.root().to_value());
        let cases = suite.take("tests").unwrap();
        suite.put_as("evalcases", cases);
        let changed = suite.to_tree(source);
        let case = changed.root().get("evalcases").unwrap();
        let case = case.items().next().unwrap();
        let criteria = case.get("criteria").unwrap();
        assert_eq!(&source[criteria.span()], "Is kind");
        assert_eq!(changed.root().depth(), 3);
        assert!(changed.root().is_surely_within(3));
    }
}
