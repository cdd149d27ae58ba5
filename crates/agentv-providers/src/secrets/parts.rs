//! The secret parts of a variable's value: of an address, of JSON, and of `name=value` pairs.

use agentv_core::Secrets;
use serde_json::Value;

use super::address::secret_segments;

/// Returns the secret parts of a value.
pub(super) fn secret_parts(value: &str) -> Vec<String> {
    let mut parts = secret_segments(value);
    match serde_json::from_str(value) {
        Ok(json @ (Value::Object(_) | Value::Array(_))) => add_json("", &json, &mut parts),
        _ => add_pairs(value, &mut parts),
    }
    parts
}

fn add_json(name: &str, value: &Value, parts: &mut Vec<String>) {
    match value {
        Value::String(text) if Secrets::is_secret(name, text) => parts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| add_json(name, item, parts)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(name, value)| add_json(name, value, parts)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Adds the secrets of a connection string, such as `Server=db;Password=…`.
fn add_pairs(value: &str, parts: &mut Vec<String>) {
    let pairs = value.split([';', ' ', '\n']);
    let pairs = pairs.filter_map(|pair| pair.trim().split_once('='));
    let secret = pairs.filter(|(name, value)| Secrets::is_secret(name, value));
    parts.extend(secret.map(|(_, value)| value.to_owned()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_within_a_value_are_found_by_their_names() {
        for (value, part) in [
            (
                r#"{"type": "service", "private_key": "abc def-1"}"#,
                "abc def-1",
            ),
            ("Server=db;User=sa;Password=Passw0rd!", "Passw0rd!"),
            (
                "Endpoint=sb://x/;SharedAccessKey=a1b2c3d4e5f6g7=",
                "a1b2c3d4e5f6g7=",
            ),
            ("host=db password=hunter22", "hunter22"),
        ] {
            let parts = secret_parts(value);
            assert!(
                parts.iter().any(|found| found == part),
                "{value}: {parts:?}"
            );
        }
        for value in ["Server=db;User=sa", r#"{"a": "b"}"#, "A=B=C", "plain"] {
            assert_eq!(secret_parts(value), [""; 0], "{value}");
        }
    }
}
