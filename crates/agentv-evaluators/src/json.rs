//! Parsing answers as JSON and comparing JSON values.

use agentv_syntax::json::{self, InvalidJson};
use agentv_syntax::{Node, Tree};
use serde_json::Value;
use thiserror::Error;

use crate::words::quoted;

/// Parses an answer as JSON. A fence (```` ``` ```` or ```` ```json ````) around the whole answer
/// is ignored.
///
/// # Errors
/// Returns the reason if the answer is not JSON, or cannot be read exactly.
pub(crate) fn parse(answer: &str) -> Result<Value, NotJson> {
    Ok(JsonAnswer::without_fence(answer)?.value())
}

/// A text that is JSON. All evaluators that read JSON read it with this, so that they agree.
pub(crate) struct JsonAnswer(Tree);

impl JsonAnswer {
    /// Reads a text that is JSON and nothing else.
    ///
    /// # Errors
    /// Returns the reason if the text is not JSON, or if it is and cannot be read exactly: half of a
    /// surrogate pair, a number that no double holds, values nested too deeply.
    pub(crate) fn read(text: &str) -> Result<JsonAnswer, NotJson> {
        if text.trim().is_empty() {
            return Err(NotJson::Empty);
        }
        let mut tree = Tree::default();
        json::parse(text, &mut tree).map_err(|invalid| NotJson::new(text, invalid))?;
        if let Some((_, half)) = tree.root().lone_surrogate() {
            return Err(NotJson::LoneSurrogate(text[half].to_owned()));
        }
        if let Some(number) = tree.root().overflowing_number() {
            return Err(NotJson::NumberTooLarge(quoted(&number.text())));
        }
        Ok(JsonAnswer(tree))
    }

    /// Reads a text that is JSON, with at most a fence around it.
    ///
    /// # Errors
    /// As [`JsonAnswer::read`].
    pub(crate) fn without_fence(text: &str) -> Result<JsonAnswer, NotJson> {
        JsonAnswer::read(unfenced(text))
    }

    /// Returns the value. The last value of a repeated key counts, as it does for most readers.
    pub(crate) fn value(&self) -> Value {
        self.0.root().to_value()
    }

    /// Returns a key that some object has twice.
    pub(crate) fn repeated_key(&self) -> Option<String> {
        let root = self.0.root();
        let mut objects = root.objects().filter(|_| root.may_repeat_keys());
        let key = objects.find_map(Node::repeated_key)?;
        Some(key.text().into_owned())
    }

    /// Returns a remark for results if the text is ambiguous.
    pub(crate) fn remark(&self) -> Option<String> {
        let key = quoted(&self.repeated_key()?);
        Some(format!("the key {key} is repeated: its last value counts"))
    }
}

/// The reason why an answer is not JSON, or cannot be read exactly.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum NotJson {
    #[error("the answer is not JSON: it is empty")]
    Empty,
    #[error("the answer is not JSON: {reason} at line {line} column {column}")]
    Invalid {
        reason: String,
        line: usize,
        column: usize,
    },
    #[error("the answer is nested deeper than {} levels", json::MAX_DEPTH)]
    TooDeep,
    #[error("the answer has `{0}`, which is half of a surrogate pair and not a character")]
    LoneSurrogate(String),
    #[error("the answer has the number {0}, which is too large")]
    NumberTooLarge(String),
}

impl NotJson {
    fn new(text: &str, invalid: InvalidJson) -> NotJson {
        if invalid.reason == "recursion limit exceeded" {
            return NotJson::TooDeep;
        }
        let before = &text[..invalid.offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        NotJson::Invalid {
            reason: invalid.reason,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
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
    JsonAnswer::read(text).ok()?.repeated_key()
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
    fn what_cannot_be_read_exactly_says_why() {
        for (answer, reason) in [
            ("", "is empty"),
            (
                "{\"a\": 1,\n \"é\" 2}",
                "not JSON: expected `:` at line 2 column 6",
            ),
            (r#"["\ud83d"]"#, r"has `\ud83d`, which is half"),
            ("[-1e400]", "has the number `-1e400`, which is too large"),
            (
                &format!("{}{}", "[".repeat(128), "]".repeat(128)),
                "nested deeper than 127",
            ),
        ] {
            let wrong = parse(answer).unwrap_err().to_string();
            assert!(wrong.contains(reason), "{answer:.20}: {wrong}");
        }
        assert!(parse(&format!("{}{}", "[".repeat(127), "]".repeat(127))).is_ok());
        assert_eq!(parse(r#""\ud83d\ude00""#).unwrap(), json!("😀"));
    }

    #[test]
    fn a_repeated_key_is_found_among_three_hundred_thousand() {
        let keys: Vec<String> = (0..300_000).map(|key| format!("\"key{key}\": 1")).collect();
        let different = format!("{{{}}}", keys.join(","));
        assert_eq!(repeated_key(&different), None);
        let repeated = format!("{{{}, \"key7\": 2}}", keys.join(","));
        assert_eq!(repeated_key(&repeated).as_deref(), Some("key7"));
    }

    #[test]
    fn the_last_value_of_a_repeated_key_counts_and_is_remarked_on() {
        let answer = JsonAnswer::read(r#"{"a": 1, "\u0061": 2}"#).unwrap();
        assert_eq!(answer.value(), json!({"a": 2}));
        let remark = answer.remark().unwrap();
        assert_eq!(remark, "the key `a` is repeated: its last value counts");
        assert_eq!(JsonAnswer::read(r#"{"a": 1}"#).unwrap().remark(), None);
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
