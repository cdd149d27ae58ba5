//! A value on its way into a file, written as JSON or YAML.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::tree::{Node, NodeKind};

/// A value to be written. Numbers keep the digits they were read with.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the six kinds of JSON value")]
pub enum Draft {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    Array(Vec<Draft>),
    Object(Vec<(String, Draft)>),
}

impl From<Node<'_>> for Draft {
    fn from(node: Node<'_>) -> Draft {
        match node.kind() {
            NodeKind::Null => Draft::Null,
            NodeKind::Bool => Draft::Bool(node.is_text("true")),
            NodeKind::Number => Draft::Number(node.text().into_owned()),
            NodeKind::String => Draft::String(node.text().into_owned()),
            NodeKind::Array => Draft::Array(node.items().map(Draft::from).collect()),
            NodeKind::Object => Draft::Object(
                node.fields()
                    .map(|(key, value)| (key.text().into_owned(), Draft::from(value)))
                    .collect(),
            ),
        }
    }
}

impl From<&Value> for Draft {
    fn from(value: &Value) -> Draft {
        match value {
            Value::Null => Draft::Null,
            Value::Bool(value) => Draft::Bool(*value),
            Value::Number(number) => Draft::Number(number.to_string()),
            Value::String(text) => Draft::String(text.clone()),
            Value::Array(items) => Draft::Array(items.iter().map(Draft::from).collect()),
            Value::Object(fields) => Draft::Object(
                fields
                    .iter()
                    .map(|(key, value)| (key.clone(), Draft::from(value)))
                    .collect(),
            ),
        }
    }
}

/// Writes numbers with the digits that they were read with, to JSON.
impl Serialize for Draft {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Draft::Null => serializer.serialize_unit(),
            Draft::Bool(value) => serializer.serialize_bool(*value),
            Draft::Number(text) => {
                let number = RawValue::from_string(text.clone());
                number
                    .map_err(serde::ser::Error::custom)?
                    .serialize(serializer)
            }
            Draft::String(text) => serializer.serialize_str(text),
            Draft::Array(items) => serializer.collect_seq(items),
            Draft::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, value)))
            }
        }
    }
}

impl Draft {
    /// Returns a string.
    pub fn text(text: impl Into<String>) -> Draft {
        Draft::String(text.into())
    }

    /// Returns the value of a field, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Draft> {
        match self {
            Draft::Object(fields) => fields
                .iter()
                .find_map(|(name, value)| (name == key).then_some(value)),
            _ => None,
        }
    }

    /// Turns numbers into doubles or 64-bit integers, for computing.
    pub fn into_value(self) -> Value {
        match self {
            Draft::Null => Value::Null,
            Draft::Bool(value) => Value::Bool(value),
            Draft::Number(text) => serde_json::from_str(&text).unwrap_or(Value::Null),
            Draft::String(text) => Value::String(text),
            Draft::Array(items) => items.into_iter().map(Draft::into_value).collect(),
            Draft::Object(fields) => {
                let fields = fields.into_iter();
                Value::Object(
                    fields
                        .map(|(key, value)| (key, value.into_value()))
                        .collect(),
                )
            }
        }
    }

    /// Returns the value for a record: a whole number that 64 bits cannot hold, and one that no double can
    /// hold, becomes a text, so that no digit is lost.
    pub fn to_recorded(&self) -> Value {
        match self {
            Draft::Number(text) if !is_kept(text) => Value::String(text.clone()),
            Draft::Array(items) => items.iter().map(Draft::to_recorded).collect(),
            Draft::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), value.to_recorded()))
                .collect(),
            Draft::Null | Draft::Bool(_) | Draft::Number(_) | Draft::String(_) => {
                self.clone().into_value()
            }
        }
    }

    /// Returns the numbers in this value as they are written, in order.
    pub fn numbers(&self) -> Vec<&str> {
        match self {
            Draft::Number(text) => vec![text],
            Draft::Array(items) => items.iter().flat_map(Draft::numbers).collect(),
            Draft::Object(fields) => {
                let values = fields.iter().map(|(_, value)| value);
                values.flat_map(Draft::numbers).collect()
            }
            Draft::Null | Draft::Bool(_) | Draft::String(_) => Vec::new(),
        }
    }

    /// Returns the value as compact JSON on one line.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }

    fn write_json(&self, out: &mut String) {
        match self {
            Draft::Null => out.push_str("null"),
            Draft::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Draft::Number(text) => out.push_str(text),
            Draft::String(text) => out.push_str(&quoted(text)),
            Draft::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write_json(out);
                }
                out.push(']');
            }
            Draft::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    out.push_str(&quoted(key));
                    out.push(':');
                    value.write_json(out);
                }
                out.push('}');
            }
        }
    }

    /// Returns the value as a YAML document in block style, ending in a line break.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        match self {
            Draft::Array(items) if !items.is_empty() => write_items(items, 0, &mut out),
            Draft::Object(fields) if !fields.is_empty() => write_fields(fields, 0, &mut out),
            scalar => {
                scalar.write_inline(0, &mut out);
                out.push('\n');
            }
        }
        out
    }

    /// Writes the value after `key:` or `-`, with its line break.
    fn write_after(&self, indent: usize, after_dash: bool, out: &mut String) {
        match self {
            Draft::Array(items) if !items.is_empty() => {
                out.push('\n');
                write_items(items, indent, out);
            }
            Draft::Object(fields) if !fields.is_empty() => {
                if after_dash {
                    // The first key is on the same line as the dash.
                    out.push(' ');
                    let start = out.len();
                    write_fields(fields, indent, out);
                    out.replace_range(start..start + indent, "");
                } else {
                    out.push('\n');
                    write_fields(fields, indent, out);
                }
            }
            scalar => {
                out.push(' ');
                scalar.write_inline(indent, out);
                out.push('\n');
            }
        }
    }

    fn write_inline(&self, indent: usize, out: &mut String) {
        match self {
            Draft::Array(_) => out.push_str("[]"),
            Draft::Object(_) => out.push_str("{}"),
            Draft::String(text) => write_text(text, indent, out),
            Draft::Null | Draft::Bool(_) | Draft::Number(_) => self.write_json(out),
        }
    }
}

fn write_items(items: &[Draft], indent: usize, out: &mut String) {
    for item in items {
        out.extend(std::iter::repeat_n(' ', indent));
        out.push('-');
        item.write_after(indent + 2, true, out);
    }
}

/// The longest key that every YAML reader finds on the line of its value, in bytes as written.
const LONGEST_KEY: usize = 1_000;

fn write_fields(fields: &[(String, Draft)], indent: usize, out: &mut String) {
    for (key, value) in fields {
        out.extend(std::iter::repeat_n(' ', indent));
        let key = if is_plain(key) {
            Cow::Borrowed(key)
        } else {
            Cow::Owned(quoted(key))
        };
        if key.len() > LONGEST_KEY {
            let _ = writeln!(out, "? {key}");
            out.extend(std::iter::repeat_n(' ', indent));
        } else {
            out.push_str(&key);
        }
        out.push(':');
        value.write_after(indent + 2, false, out);
    }
}

fn write_text(text: &str, indent: usize, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else if is_blockable(text) {
        let chomp = match (text.ends_with('\n'), text.ends_with("\n\n")) {
            (_, true) => "+",
            (true, false) => "",
            (false, false) => "-",
        };
        let _ = write!(out, "|{chomp}");
        // At the top of a document a block still needs indentation.
        let indent = indent.max(2);
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            out.push('\n');
            if !line.is_empty() {
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(line);
            }
        }
    } else {
        out.push_str(&quoted(text));
    }
}

/// Checks if computing keeps the size of a number: a double for a fraction, 64 bits for a whole number.
fn is_kept(text: &str) -> bool {
    let is_whole = !text.contains(['.', 'e', 'E']);
    let is_finite = text.parse().is_ok_and(f64::is_finite);
    is_finite && !(is_whole && is_inexact(text))
}

/// Checks if a whole number has more digits than 64 bits hold.
pub(crate) fn is_inexact(text: &str) -> bool {
    text.parse::<u64>().is_err() && text.parse::<i64>().is_err()
}

/// Checks if every YAML reader, old ones included, reads the text correctly without quotes.
fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let safe =
        |letter: char| letter.is_alphanumeric() || " _-./,()'+@=!?;%$&*~<>^".contains(letter);
    // Words that some reader takes for a number, a boolean or null.
    let looks_like_more = || {
        let word = text.to_ascii_lowercase();
        let words = [
            "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity",
        ];
        words.contains(&word.as_str())
    };
    let safe_start = first.is_alphabetic()
        || matches!(first, '$' | '_' | '/')
        || text.starts_with("./")
        || text.starts_with("../");
    safe_start && !text.ends_with(' ') && text.chars().all(safe) && !looks_like_more()
}

/// Checks if a text of several lines reads the same from a literal block.
fn is_blockable(text: &str) -> bool {
    let has_lines = text.trim_end_matches('\n').contains('\n');
    let plain_start = !text.starts_with([' ', '\t', '\n']);
    let printable = text
        .chars()
        .all(|letter| letter == '\n' || (!letter.is_control() && !is_troublesome(letter)));
    let no_blank_tail = text
        .split('\n')
        .all(|line| line.is_empty() || !line.trim_matches([' ', '\t']).is_empty());
    has_lines && plain_start && printable && no_blank_tail
}

/// Checks for characters that some YAML reader refuses, or takes for a line break or a mark.
fn is_troublesome(letter: char) -> bool {
    matches!(
        letter,
        '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
    )
}

/// Returns the text in double quotes, valid in JSON and YAML alike.
fn quoted(text: &str) -> String {
    let json = serde_json::to_string(text).unwrap_or_default();
    if !json.contains(is_troublesome) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 8);
    for letter in json.chars() {
        if is_troublesome(letter) {
            let _ = write!(out, "\\u{:04x}", u32::from(letter));
        } else {
            out.push(letter);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tree, json, yaml};
    use proptest::prelude::*;

    fn any_value() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "\\PC{0,12}",
            "[ -~\n]{0,20}",
            "(yes|no|012|1e5|~|null|- a|a: b|#c|\\||>|\u{85}|\u{2028}|\u{7f}|a\r\nb|\ta| a\nb|a\n\n|a\n \nb|<<|%x|'|\")",
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            text.clone().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::hash_map(text.clone(), inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back_the_same(value in any_value()) {
            let draft = Draft::from(&value);
            let mut tree = Tree::default();
            let text = draft.to_json();
            json::parse(&text, &mut tree).unwrap();
            prop_assert_eq!(&tree.root().to_value(), &value);
            let text = draft.to_yaml();
            yaml::parse(&text, &mut tree).map_err(|e| TestCaseError::fail(format!("{e:?}\n{text}")))?;
            prop_assert_eq!(&tree.root().to_value(), &value, "{}", text);
        }
    }

    #[test]
    fn a_key_that_is_too_long_for_one_line_is_read_back() {
        let long = "long ".repeat(400) + "key";
        let value = serde_json::json!([{long.clone(): {long.clone(): [1]}, "b": {long: "x\ny"}}]);
        let text = Draft::from(&value).to_yaml();
        let mut tree = Tree::default();
        yaml::parse(&text, &mut tree).unwrap();
        assert_eq!(tree.root().to_value(), value);
    }

    #[test]
    fn yaml_is_written_as_a_person_would() {
        let value = serde_json::json!({
            "id": "a", "count": 1.5, "text": "one\ntwo\n", "list": [{"k": "v", "e": []}, "x"], "s": "012"
        });
        assert_eq!(
            Draft::from(&value).to_yaml(),
            "id: a\ncount: 1.5\ntext: |\n  one\n  two\nlist:\n  - k: v\n    e: []\n  - x\ns: \"012\"\n"
        );
    }
}
