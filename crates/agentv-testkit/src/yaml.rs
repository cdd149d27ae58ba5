//! A JSON value as the YAML a person would write: block style, plain where that is safe.

use serde_json::Value;

/// The document that holds `value`.
pub(crate) fn document(value: &Value) -> String {
    let mut out = String::new();
    if is_block(value) {
        write_block(&mut out, value, 0, false);
    } else {
        write_scalar(&mut out, value, 0);
        out.push('\n');
    }
    out
}

/// Writes the lines of an object or array; `started` says that the first line's indent is there.
fn write_block(out: &mut String, value: &Value, depth: usize, mut started: bool) {
    let mut indent = |out: &mut String| {
        if !std::mem::take(&mut started) {
            out.push_str(&"  ".repeat(depth));
        }
    };
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                indent(out);
                write_text(out, key, depth);
                out.push(':');
                if is_block(value) {
                    out.push('\n');
                    write_block(out, value, depth + 1, false);
                } else {
                    out.push(' ');
                    write_scalar(out, value, depth);
                    out.push('\n');
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                indent(out);
                out.push_str("- ");
                if is_block(item) {
                    write_block(out, item, depth + 1, true);
                } else {
                    write_scalar(out, item, depth);
                    out.push('\n');
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            write_scalar(out, value, depth);
        }
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn write_scalar(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::String(text) => write_text(out, text, depth),
        other => out.push_str(&other.to_string()),
    }
}

fn write_text(out: &mut String, text: &str, depth: usize) {
    if is_plain(text) {
        out.push_str(text);
    } else if is_literal(text) {
        out.push_str("|-");
        for line in text.split('\n') {
            out.push('\n');
            if !line.is_empty() {
                out.push_str(&"  ".repeat(depth + 1));
                out.push_str(line);
            }
        }
    } else {
        // A JSON string is a double-quoted YAML scalar.
        out.push_str(&Value::from(text).to_string());
    }
}

fn is_plain(text: &str) -> bool {
    const WORDS_WITH_MEANING: &[&str] =
        &["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text
            .chars()
            .all(|one| one.is_ascii_alphanumeric() || " -_./,".contains(one))
        && !WORDS_WITH_MEANING.contains(&text.to_ascii_lowercase().as_str())
}

fn is_literal(text: &str) -> bool {
    text.contains('\n')
        && text.trim() == text
        && !text
            .chars()
            .any(|one| one.is_control() && one != '\n' && one != '\t')
}

#[cfg(test)]
mod tests {
    use agentv_syntax::{Tree, yaml};
    use serde_json::json;

    use super::*;
    use crate::cases::{Shape, case};

    fn read_back(text: &str) -> Value {
        let mut tree = Tree::default();
        yaml::parse(text, &mut tree).unwrap();
        tree.root().to_value()
    }

    #[test]
    fn a_list_item_starts_on_the_line_of_its_dash() {
        let value = json!({"evalcases": [{"id": "a", "input": "one\n\n  two"}], "tags": []});
        let expected = "evalcases:\n  - id: a\n    input: |-\n      one\n\n        two\ntags: []\n";
        assert_eq!(document(&value), expected);
        assert_eq!(read_back(expected), value);
    }

    #[test]
    fn what_is_written_is_what_is_read() {
        for index in 0..500 {
            let value = case(Shape::Mixed, 3, index);
            assert_eq!(read_back(&document(&value)), value);
        }
    }

    #[test]
    fn text_that_yaml_would_take_for_something_else_is_quoted() {
        for text in [
            "", "true", "No", "12", "a: b", "- a", "# a", " a", "a\n", "\u{7}", "é",
        ] {
            let value = json!({"text": text, "list": [text]});
            assert_eq!(read_back(&document(&value)), value, "{text:?}");
        }
    }
}
