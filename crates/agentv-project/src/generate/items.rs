//! JSON in the answer of a model.

use serde_json::Value;

/// Returns the first array in an answer, which may have words or a fence around it, or an object around the
/// array.
pub(super) fn array_in(answer: &str) -> Option<Vec<Value>> {
    let whole: Option<Value> = serde_json::from_str(answer.trim()).ok();
    let inside = match whole {
        Some(Value::Object(fields)) => fields.into_iter().find_map(|(_, value)| match value {
            Value::Array(items) => Some(items),
            _ => None,
        }),
        Some(Value::Array(items)) => Some(items),
        _ => None,
    };
    if inside.is_some() {
        return inside;
    }
    let starts = answer.match_indices('[').map(|(at, _)| at);
    let mut arrays = starts.filter_map(|start| {
        let mut values = serde_json::Deserializer::from_str(&answer[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Array(items))) if !items.is_empty() => Some(items),
            _ => None,
        }
    });
    arrays.next()
}

/// Returns the texts of an array, without empty ones.
pub(super) fn texts_in(answer: &str) -> Option<Vec<String>> {
    let texts = array_in(answer)?.into_iter().filter_map(|item| match item {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Object(mut fields) => {
            let names = ["expected_outcome", "outcome", "description", "item", "text"];
            let text = names.iter().find_map(|name| fields.shift_remove(*name))?;
            text.as_str().map(|text| text.trim().to_owned())
        }
        _ => None,
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then_some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_found_in_words_fences_and_objects() {
        for answer in [
            r#"["a", " b "]"#,
            "Here [as asked]:\n```json\n[\"a\", \"b\"]\n```\nDone",
            r#"{"items": ["a", {"outcome": "b"}]}"#,
        ] {
            assert_eq!(texts_in(answer).unwrap(), ["a", "b"], "{answer}");
        }
        for answer in ["no", "[]", "[1]", "{\"a\": 1}"] {
            assert_eq!(texts_in(answer), None, "{answer}");
        }
    }
}
