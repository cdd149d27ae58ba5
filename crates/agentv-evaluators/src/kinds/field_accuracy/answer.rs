//! Finding the JSON of an answer, alone or within prose.

use serde_json::{Deserializer, Value};
use thiserror::Error;

use crate::json::{self, NotJson};

/// The maximum length of an answer that is searched for JSON, in bytes.
const LONGEST_PROSE: usize = 1 << 20;
/// The maximum number of brackets that are tried as the start of a value.
const MOST_STARTS: usize = 1_000;

/// The reason why an answer has no JSON to compare.
#[derive(Debug, Error)]
pub(super) enum NoJson {
    #[error(transparent)]
    None(#[from] NotJson),
    #[error("the answer has several JSON values that differ, expected one")]
    Several,
}

/// Returns the JSON of an answer: the answer itself, or else the content of its fenced blocks, or else
/// the objects and arrays in its text. If there are several, they must be equal.
///
/// # Errors
/// Fails if there is no JSON, or if several values differ.
pub(super) fn json_of(answer: &str) -> Result<Value, NoJson> {
    let not_json = match json::parse(answer) {
        Ok(value) => return Ok(value),
        Err(reason) => reason,
    };
    if answer.len() > LONGEST_PROSE {
        return Err(not_json.into());
    }
    let fenced = fenced_values(answer);
    let mut found = if fenced.is_empty() {
        values_in(answer)
    } else {
        fenced
    };
    let Some(first) = found.pop() else {
        return Err(not_json.into());
    };
    if found.iter().all(|other| json::same(other, &first)) {
        Ok(first)
    } else {
        Err(NoJson::Several)
    }
}

/// Returns the objects and arrays that are the whole content of fenced blocks.
fn fenced_values(answer: &str) -> Vec<Value> {
    // Every second part between fences is inside of one. Its first line names the language.
    let blocks = answer.split("```").skip(1).step_by(2);
    let contents = blocks.map(|block| match block.split_once('\n') {
        Some((_, content)) => content,
        None => block,
    });
    let values = contents.filter_map(|content| serde_json::from_str::<Value>(content).ok());
    values
        .filter(|value| value.is_object() || value.is_array())
        .collect()
}

/// Returns the outermost objects and arrays in a text. Beside an object, an array without one says nothing:
/// prose cites sources as `[1]`.
fn values_in(text: &str) -> Vec<Value> {
    let mut found = outermost(text);
    if found.iter().any(has_object) {
        found.retain(has_object);
    }
    found
}

fn has_object(value: &Value) -> bool {
    match value {
        Value::Object(_) => true,
        Value::Array(items) => items.iter().any(has_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn outermost(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut rest = text;
    for _ in 0..MOST_STARTS {
        let Some(start) = rest.find(['{', '[']) else {
            break;
        };
        rest = &rest[start..];
        let mut values = Deserializer::from_str(rest).into_iter::<Value>();
        let read = match values.next() {
            Some(Ok(value)) => {
                found.push(value);
                values.byte_offset()
            }
            Some(Err(_)) | None => 1,
        };
        rest = &rest[read..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn json_is_found_in_a_fenced_block_or_alone_in_prose() {
        for answer in [
            r#"{"a": 1}"#,
            "Here you are:\n```json\n{\"a\": 1}\n```\nAnything else?",
            "```\n{\"a\": 1}\n```\nor, the same again:\n```json\n{\"a\": 1.0}\n```",
            "Use {curly braces} like this: {\"a\": 1}. Done.",
            "The answer is {\"a\": 1}",
            "See [1]. The answer is {\"a\": 1} [2, 3].",
            "```python\nprint({})\n```\n```json\n{\"a\": 1}\n```",
        ] {
            assert!(
                json::same(&json_of(answer).unwrap(), &json!({"a": 1})),
                "{answer}"
            );
        }
    }

    #[test]
    fn an_array_is_found_in_prose_with_its_objects() {
        for (answer, expected) in [
            (
                r#"Result: [{"v": 1}, {"v": 2}] ok"#,
                json!([{"v": 1}, {"v": 2}]),
            ),
            (r#"Result: [{"v": 1}]"#, json!([{"v": 1}])),
            ("The ids are [4, 5].", json!([4, 5])),
        ] {
            let found = json_of(answer).unwrap();
            assert!(json::same(&found, &expected), "{answer}: {found}");
        }
    }

    #[test]
    fn nothing_is_guessed_where_values_differ_or_are_broken() {
        for (answer, reason) in [
            ("It is {\"a\": 1} or {\"a\": 2}.", "several JSON values"),
            (
                "```json\n{\"a\": 1}\n```\n```json\n{\"a\": 2}\n```",
                "several JSON values",
            ),
            ("It is {\"a\": 1", "the answer is not JSON"),
            ("It is [1] or [2].", "several JSON values"),
            ("It is [1", "the answer is not JSON"),
            ("", "it is empty"),
        ] {
            let error = json_of(answer).unwrap_err().to_string();
            assert!(error.contains(reason), "{answer}: {error}");
        }
    }

    #[test]
    fn a_hostile_answer_takes_no_time() {
        let nested = "{\"a\":[".repeat(100_000);
        assert!(json_of(&nested).is_err());
        assert!(json_of(&"{".repeat(1_000_000)).is_err());
    }
}
