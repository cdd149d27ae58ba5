//! JSON as AgentMark writes it before it takes a digest.

use std::borrow::Cow;

use agentv_syntax::{Node, NodeKind};

/// Returns compact JSON with sorted keys, everything beyond ASCII escaped, and numbers as JavaScript prints
/// them. AgentMark sorts in JavaScript, too: by UTF-16 units.
pub(crate) fn canonical_json(node: Node<'_>) -> String {
    let mut json = String::new();
    write_value(node, &mut json);
    json
}

fn write_value(node: Node<'_>, json: &mut String) {
    match node.kind() {
        NodeKind::Null => json.push_str("null"),
        NodeKind::Bool => json.push_str(&node.text()),
        NodeKind::Number => write_number(node, json),
        NodeKind::String => write_text(&node.text(), json),
        NodeKind::Array => {
            json.push('[');
            for (index, item) in node.items().enumerate() {
                write_comma(index, json);
                write_value(item, json);
            }
            json.push(']');
        }
        NodeKind::Object => {
            json.push('{');
            for (index, (key, value)) in sorted_fields(node).into_iter().enumerate() {
                write_comma(index, json);
                write_text(&key, json);
                json.push(':');
                write_value(value, json);
            }
            json.push('}');
        }
    }
}

fn write_comma(index: usize, json: &mut String) {
    if index > 0 {
        json.push(',');
    }
}

fn sorted_fields(node: Node<'_>) -> Vec<(Cow<'_, str>, Node<'_>)> {
    let fields = node.fields().map(|(key, value)| (key.text(), value));
    let mut fields: Vec<_> = fields.collect();
    fields.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
    fields
}

fn write_number(node: Node<'_>, json: &mut String) {
    match node.as_f64().filter(|number| number.is_finite()) {
        Some(number) => json.push_str(ryu_js::Buffer::new().format_finite(number)),
        // JavaScript reads such a number as infinite, and writes that as null.
        None => json.push_str("null"),
    }
}

fn write_text(text: &str, json: &mut String) {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    for letter in quoted.chars() {
        if letter.is_ascii() {
            json.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            json.push_str(&format!("\\u{unit:04x}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agentv_syntax::{Tree, json};

    fn canonical(source: &str) -> String {
        let mut tree = Tree::default();
        json::parse(source, &mut tree).unwrap();
        canonical_json(tree.root())
    }

    #[test]
    fn keys_are_sorted_and_what_is_not_ascii_is_escaped() {
        assert_eq!(
            canonical(
                r#"{"b": "é😀\u007f\u0001\n/", "a": {"z": true, "y": [1.5, null], "10": 1, "9": {}}}"#
            ),
            "{\"a\":{\"10\":1,\"9\":{},\"y\":[1.5,null],\"z\":true},\"b\":\"\\u00e9\\ud83d\\ude00\u{7f}\\u0001\\n/\"}"
        );
        // As UTF-16, a character beyond 16 bits comes before U+FF5E.
        assert_eq!(
            canonical(r#"{"～": 1, "😀": 2}"#),
            r#"{"\ud83d\ude00":2,"\uff5e":1}"#
        );
    }

    /// The expectations are what Node.js prints: `JSON.stringify(JSON.parse(number))`.
    #[test]
    fn numbers_are_those_of_javascript() {
        for (written, printed) in [
            ("2.50", "2.5"),
            ("19.90", "19.9"),
            ("1.0", "1"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("1e5", "100000"),
            ("1E21", "1e+21"),
            ("1e20", "100000000000000000000"),
            ("123456789012345680000", "123456789012345680000"),
            ("12345678901234567890", "12345678901234567000"),
            ("9007199254740993", "9007199254740992"),
            ("1e-6", "0.000001"),
            ("1e-7", "1e-7"),
            ("0.00000123", "0.00000123"),
            ("1.5e-10", "1.5e-10"),
            ("0.30000000000000004", "0.30000000000000004"),
            ("5e-324", "5e-324"),
            ("2e-324", "0"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
            ("-1.5E+3", "-1500"),
            ("1e400", "null"),
        ] {
            assert_eq!(canonical(written), printed, "{written}");
        }
    }
}
