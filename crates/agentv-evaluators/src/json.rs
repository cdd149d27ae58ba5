//! Parsing answers as JSON and comparing JSON values.

use agentv_syntax::{Tree, json};
use serde_json::Value;
use thiserror::Error;

/// Parses an answer as JSON. A fence (```` ``` ```` or ```` ```json ````) around the whole answer
/// is ignored.
///
/// # Errors
/// Returns the parser's reason if the answer is not JSON.
pub(crate) fn parse(answer: &str) -> Result<Value, NotJson> {
    serde_json::from_str(unfenced(answer)).map_err(|error| NotJson::new(answer, error))
}

/// The reason why an answer is not JSON.
#[derive(Debug, Error)]
pub(crate) enum NotJson {
    #[error("the answer is not JSON: it is empty")]
    Empty,
    #[error("the answer is not JSON: {0}")]
    Invalid(#[source] serde_json::Error),
}

impl NotJson {
    /// Makes the reason from the parser's error about this answer.
    pub(crate) fn new(answer: &str, error: serde_json::Error) -> NotJson {
        if answer.trim().is_empty() {
            return NotJson::Empty;
        }
        NotJson::Invalid(error)
    }
}

fn unfenced(answer: &str) -> &str {
    let inside = answer
        .trim()
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"))
        .and_then(|block| block.split_once('\n'));
    match inside {
        Some((language, block)) if is_json_or_nothing(language.trim()) => block,
        _ => answer,
    }
}

fn is_json_or_nothing(language: &str) -> bool {
    language.is_empty() || language.eq_ignore_ascii_case("json")
}

/// Returns a key that some object of a JSON text has twice. Such a text is ambiguous.
pub(crate) fn repeated_key(text: &str) -> Option<String> {
    let mut tree = Tree::default();
    json::parse(text, &mut tree).ok()?;
    if !tree.root().may_repeat_keys() {
        return None;
    }
    let mut objects = tree.root().objects();
    let key = objects.find_map(|object| object.repeated_key())?;
    Some(key.text().into_owned())
}

/// Returns true if two values are equal. `1` equals `1.0`, and the order of keys does not matter.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let has = |(key, value)| b.get(key).is_some_and(|other| same(value, other));
            a.len() == b.len() && a.iter().all(has)
        }
        _ => a == b,
    }
}

/// Returns true if a value contains `part`. Objects may have additional keys, at any depth.
pub(crate) fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part.iter().all(|(key, value)| {
            let found = whole.get(key);
            found.is_some_and(|found| contains(found, value))
        }),
        _ => same(whole, part),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_fence_around_the_whole_answer_does_not_count() {
        for answer in [
            "{\"a\": 1}",
            "```json\n{\"a\": 1}\n```",
            " ```\n{\"a\": 1}```\n",
            "```JSON \r\n{\"a\": 1}\r\n```",
        ] {
            assert_eq!(parse(answer).unwrap(), json!({"a": 1}), "{answer}");
        }
        for answer in [
            "Here you are:\n```json\n1\n```",
            "```python\n1\n```",
            "```json\n1\n```\n```json\n2\n```",
            "```",
            "",
        ] {
            assert!(parse(answer).is_err(), "{answer}");
        }
    }

    #[test]
    fn numbers_are_the_same_by_value_and_large_ones_keep_their_last_digit() {
        assert!(same(&json!(1), &json!(1.0)));
        assert!(same(
            &json!({"a": [1], "b": 2}),
            &json!({"b": 2.0, "a": [1.0]})
        ));
        assert!(!same(&json!(1), &json!("1")));
        assert!(!same(&json!([1, 2]), &json!([2, 1])));
        assert!(!same(&json!({"a": 1}), &json!({"a": 1, "b": 2})));
        assert!(!same(
            &json!(9_007_199_254_740_993_i64),
            &json!(9_007_199_254_740_992_i64)
        ));
    }

    #[test]
    fn what_is_contained_may_lack_keys_at_any_depth() {
        let whole = json!({"a": {"b": 1, "c": 2}, "d": [1, 2]});
        assert!(contains(&whole, &json!({"a": {"b": 1}})));
        assert!(contains(&whole, &json!({})));
        assert!(!contains(&whole, &json!({"a": {"b": 2}})));
        assert!(!contains(&whole, &json!({"d": [1]})));
        assert!(!contains(&whole, &json!({"e": null})));
    }
}
