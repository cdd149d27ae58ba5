//! `params`: further fields of a request, sent unchanged.

use agentv_syntax::Draft;
use serde::Serialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::ser::{CompactFormatter, Compound};
use serde_json::value::RawValue;

/// Merges `params` into the body of a request. A field of the user replaces ours, except that the objects
/// of `merged` are merged key by key.
///
/// # Errors
/// If the body is not a JSON object.
pub(crate) fn merge(
    body: Vec<u8>,
    params: &[(String, Draft)],
    merged: &[&str],
) -> Result<Vec<u8>, serde_json::Error> {
    if params.is_empty() {
        return Ok(body);
    }
    let own = fields(std::str::from_utf8(&body).unwrap_or_default())?;
    let mut written = Vec::with_capacity(body.len() + 64);
    let mut serializer = serde_json::Serializer::new(&mut written);
    let mut map = serde::Serializer::serialize_map(&mut serializer, None)?;
    for (name, value) in &own {
        let given = params.iter().find(|(given, _)| given == name);
        match given.map(|(_, given)| given) {
            None => entry(&mut map, name, value)?,
            Some(Draft::Object(given)) if merged.contains(&name.as_str()) => {
                let both = merge(value.get().as_bytes().to_vec(), given, &[])?;
                let both: &RawValue = serde_json::from_slice(&both)?;
                entry(&mut map, name, both)?;
            }
            Some(given) => entry(&mut map, name, given)?,
        }
    }
    for (name, value) in params {
        if !own.iter().any(|(known, _)| known == name) {
            entry(&mut map, name, value)?;
        }
    }
    serde::ser::SerializeMap::end(map)?;
    Ok(written)
}

fn entry<T: Serialize + ?Sized>(
    map: &mut Compound<'_, &mut Vec<u8>, CompactFormatter>,
    name: &str,
    value: &T,
) -> Result<(), serde_json::Error> {
    serde::ser::SerializeMap::serialize_entry(map, name, value)
}

/// Returns the fields of an object, in order and unread.
fn fields(body: &str) -> Result<Vec<(String, &RawValue)>, serde_json::Error> {
    struct Fields;

    impl<'de> Visitor<'de> for Fields {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Vec::new();
            while let Some(entry) = map.next_entry()? {
                fields.push(entry);
            }
            Ok(fields)
        }
    }

    serde_json::Deserializer::from_str(body).deserialize_map(Fields)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn merged(body: &str, params: Value) -> String {
        let Draft::Object(params) = Draft::from(&params) else {
            unreachable!("params are an object");
        };
        let body = merge(body.as_bytes().to_vec(), &params, &["config"]).unwrap();
        String::from_utf8(body).unwrap()
    }

    #[test]
    fn fields_of_the_user_are_added_and_win() {
        let body = r#"{"model":"m","temperature":0.5,"n":[1, 2]}"#;
        assert_eq!(
            merged(body, json!({"temperature": 1, "top_k": {"a": null}})),
            r#"{"model":"m","temperature":1,"n":[1, 2],"top_k":{"a":null}}"#
        );
        assert_eq!(merged(body, json!({})), body);
    }

    #[test]
    fn an_object_of_parameters_is_merged_key_by_key_and_another_is_replaced() {
        let body = r#"{"config":{"a":1,"b":{"x":1}},"format":{"a":1}}"#;
        assert_eq!(
            merged(
                body,
                json!({"config": {"b": {"y": 2}, "c": 3}, "format": {"b": 2}})
            ),
            r#"{"config":{"a":1,"b":{"y":2},"c":3},"format":{"b":2}}"#
        );
    }
}
