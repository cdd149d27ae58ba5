//! Values of events, as leniently as agents write them.

use serde_json::Value;

/// Returns a text; empty if the value is something else.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the items of an array; none if the value is something else.
pub(crate) fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// Returns a number of tokens; 0 if the value is something else.
pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| {
        let number = value.as_f64().unwrap_or_default();
        // A cast of a float is limited to the range of the integer.
        number as u64
    })
}

/// Returns the text of blocks, if all of them are texts. Anything else stays as it is.
pub(crate) fn text_of_blocks(content: &Value) -> Value {
    let Some(blocks) = content.as_array() else {
        return content.clone();
    };
    let texts: Option<Vec<&str>> = blocks.iter().map(|block| block["text"].as_str()).collect();
    match texts {
        Some(texts) if !texts.is_empty() => Value::String(texts.join("\n")),
        _ => content.clone(),
    }
}

/// Returns the number at the beginning of a line, behind one of these words. The last such line counts.
pub(crate) fn exit_code_in(output: &str, words: &[&str]) -> Option<i64> {
    output.lines().rev().find_map(|line| {
        let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
        let end = rest
            .char_indices()
            .find(|(at, character)| {
                !(character.is_ascii_digit() || (*at == 0 && *character == '-'))
            })
            .map_or(rest.len(), |(at, _)| at);
        rest[..end].parse().ok()
    })
}
