//! `params`: further fields of a request, sent unchanged.

use agentv_syntax::Draft;
use serde::Serialize;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::ser::{CompactFormatter, Compound};
use serde_json::value::RawValue;

/// Merges `params` into the body of a request. A field of the user replaces ours, except those of `merged`:
/// their objects are merged key by key, and their lists are joined. A name with a dot is that of a field in
/// a merged object.
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
    merge_object(body, params, merged, "")
}

fn merge_object(
    body: Vec<u8>,
    params: &[(String, Draft)],
    merged: &[&str],
    within: &str,
) -> Result<Vec<u8>, serde_json::Error> {
    let own = fields(std::str::from_utf8(&body).unwrap_or_default())?;
    let mut written = Vec::with_capacity(body.len() + 64);
    let mut serializer = serde_json::Serializer::new(&mut written);
    let mut map = serde::Serializer::serialize_map(&mut serializer, None)?;
    for (name, value) in &own {
        let given = params.iter().find(|(given, _)| given == name);
        let path = format!("{within}{name}");
        let is_merged = merged.contains(&path.as_str());
        match given.map(|(_, given)| given) {
            None => entry(&mut map, name, value)?,
            Some(Draft::Object(given)) if is_merged && value.get().starts_with('{') => {
                let own = value.get().as_bytes().to_vec();
                let both = merge_object(own, given, merged, &format!("{path}."))?;
                let both: &RawValue = serde_json::from_slice(&both)?;
                entry(&mut map, name, both)?;
            }
            Some(Draft::Array(given)) if is_merged && value.get().starts_with('[') => {
                entry(&mut map, name, &joined(value, given)?)?;
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

/// Returns our list with the items of the user that it lacks.
fn joined(own: &RawValue, given: &[Draft]) -> Result<Vec<Box<RawValue>>, serde_json::Error> {
    let mut both: Vec<Box<RawValue>> = serde_json::from_str(own.get())?;
    for item in given {
        let item = serde_json::value::to_raw_value(item)?;
        if !both.iter().any(|known| known.get() == item.get()) {
            both.push(item);
        }
    }
    Ok(both)
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
        let body = merge(
            body.as_bytes().to_vec(),
            &params,
            &["config", "config.inner", "list"],
        )
        .unwrap();
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
    fn lists_are_joined_and_inner_objects_are_merged_where_the_protocol_says_so() {
        let body = r#"{"list":[{"a":1},"x"],"other":[1],"config":{"inner":{"a":1},"b":{"c":1}}}"#;
        assert_eq!(
            merged(
                body,
                json!({"list": ["x", {"b": 2}], "other": [2], "config": {"inner": {"d": 2}}})
            ),
            r#"{"list":[{"a":1},"x",{"b":2}],"other":[2],"config":{"inner":{"a":1,"d":2},"b":{"c":1}}}"#
        );
        assert_eq!(
            merged(body, json!({"list": null})).matches("null").count(),
            1
        );
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
