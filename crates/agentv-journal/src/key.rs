//! The fields that identify a record.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize as _, Deserializer};

/// The fields whose values are the key of a record.
///
/// They are top-level fields that hold strings or integers.
///
/// ```
/// use agentv_journal::{Key, KeyFields};
///
/// let fields = KeyFields::new(["eval_id", "trial"]);
/// let record = r#"{"trial": 1, "score": 0.5, "eval_id": "greeting"}"#;
/// assert_eq!(fields.key_of(record)?, Key::of(["greeting".into(), 1.into()]));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFields {
    names: Vec<String>,
    digest_bits: u32,
}

/// The values of the key fields of a record.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

/// The value of one key field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPart<'a> {
    /// A string.
    Text(&'a str),
    /// An integer.
    Integer(i128),
}

impl<'a> From<&'a str> for KeyPart<'a> {
    fn from(text: &'a str) -> Self {
        KeyPart::Text(text)
    }
}

impl From<u64> for KeyPart<'_> {
    fn from(number: u64) -> Self {
        KeyPart::Integer(number.into())
    }
}

impl From<i32> for KeyPart<'_> {
    fn from(number: i32) -> Self {
        KeyPart::Integer(number.into())
    }
}

/// The key of one field that holds a string.
impl From<&str> for Key {
    fn from(text: &str) -> Key {
        Key::of([text.into()])
    }
}

impl Key {
    /// Returns the key whose fields have these values, in the order of [`KeyFields`].
    pub fn of<'a>(parts: impl IntoIterator<Item = KeyPart<'a>>) -> Key {
        let mut key = Vec::new();
        parts.into_iter().for_each(|part| part.encode(&mut key));
        Key(key)
    }
}

impl KeyPart<'_> {
    /// Appends bytes that differ from those of every other sequence of parts.
    fn encode(self, bytes: &mut Vec<u8>) {
        match self {
            KeyPart::Text(text) => {
                bytes.push(b't');
                bytes.extend((text.len() as u64).to_le_bytes());
                bytes.extend(text.as_bytes());
            }
            KeyPart::Integer(number) => {
                bytes.push(b'i');
                bytes.extend(number.to_le_bytes());
            }
        }
    }
}

impl KeyFields {
    /// Returns the fields with these names, in this order.
    pub fn new<N: Into<String>>(names: impl IntoIterator<Item = N>) -> KeyFields {
        KeyFields {
            names: names.into_iter().map(Into::into).collect(),
            digest_bits: u64::BITS,
        }
    }

    /// Shortens digests so much that keys collide.
    #[cfg(test)]
    pub(crate) fn with_digest_bits(self, digest_bits: u32) -> KeyFields {
        KeyFields {
            digest_bits,
            ..self
        }
    }

    /// Returns the key of a record in JSON.
    ///
    /// # Errors
    /// Fails if the text is not a JSON object or lacks a key field.
    pub fn key_of(&self, record: &str) -> serde_json::Result<Key> {
        let mut scan = KeyScan::new(self, None);
        scan.read(record)?;
        Ok(scan.key)
    }

    /// Returns a digest, which is equal for equal keys and rarely for others.
    pub(crate) fn digest(&self, key: &Key) -> u64 {
        let mut bytes = [0; 8];
        blake3::Hasher::new()
            .update(&key.0)
            .finalize_xof()
            .fill(&mut bytes);
        u64::from_le_bytes(bytes) >> (u64::BITS - self.digest_bits)
    }
}

/// A scanner that finds the keys of records one after another, in the same memory.
#[derive(Debug)]
pub(crate) struct KeyScan<'a> {
    fields: &'a KeyFields,
    time_field: Option<&'a str>,
    parts: Vec<Vec<u8>>,
    /// The key of the last record.
    pub(crate) key: Key,
    /// The value of its time field, if that is a string.
    pub(crate) time: Option<String>,
}

impl<'a> KeyScan<'a> {
    pub(crate) fn new(fields: &'a KeyFields, time_field: Option<&'a str>) -> KeyScan<'a> {
        KeyScan {
            fields,
            time_field,
            parts: vec![Vec::new(); fields.names.len()],
            key: Key::default(),
            time: None,
        }
    }

    /// Reads the whole record, so that a torn one is an error wherever its key is located.
    pub(crate) fn read(&mut self, record: &str) -> serde_json::Result<()> {
        self.parts.iter_mut().for_each(Vec::clear);
        self.time = None;
        let mut deserializer = serde_json::Deserializer::from_str(record);
        deserializer.deserialize_map(&mut *self)?;
        deserializer.end()?;
        self.key.0.clear();
        for (name, part) in self.fields.names.iter().zip(&self.parts) {
            if part.is_empty() {
                return Err(serde_json::Error::custom(format_args!(
                    "`{name}` is missing"
                )));
            }
            self.key.0.extend(part);
        }
        Ok(())
    }

    pub(crate) fn digest(&self) -> u64 {
        self.fields.digest(&self.key)
    }
}

impl<'de> Visitor<'de> for &mut KeyScan<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(field) = map.next_key_seed(FieldName {
            keys: &self.fields.names,
            time: self.time_field,
        })? {
            if let Some(index) = field.key {
                let part = &mut self.parts[index];
                part.clear();
                map.next_value_seed(PartValue(part))?;
                if field.time {
                    self.time = text_of(part);
                }
            } else if field.time {
                self.time = map.next_value_seed(TimeValue)?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Decodes a part that is a text.
fn text_of(part: &[u8]) -> Option<String> {
    let text = part.strip_prefix(b"t")?.get(8..)?;
    String::from_utf8(text.to_vec()).ok()
}

/// The names of the fields to read.
#[derive(Clone, Copy)]
struct FieldName<'a> {
    keys: &'a [String],
    time: Option<&'a str>,
}

struct Field {
    key: Option<usize>,
    time: bool,
}

impl<'de> DeserializeSeed<'de> for FieldName<'_> {
    type Value = Field;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Field, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for FieldName<'_> {
    type Value = Field;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field")
    }

    fn visit_str<E>(self, name: &str) -> Result<Field, E> {
        Ok(Field {
            key: self.keys.iter().position(|key| key == name),
            time: self.time == Some(name),
        })
    }
}

/// A seed that encodes the value of a key field.
struct PartValue<'a>(&'a mut Vec<u8>);

impl<'de> DeserializeSeed<'de> for PartValue<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for PartValue<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer as part of the key")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        KeyPart::Text(text).encode(self.0);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        KeyPart::Integer(number.into()).encode(self.0);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        KeyPart::Integer(number.into()).encode(self.0);
        Ok(())
    }
}

/// A seed that reads a string, and ignores any other value.
struct TimeValue;

impl<'de> DeserializeSeed<'de> for TimeValue {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        Ok(match value {
            serde_json::Value::String(text) => Some(text),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_it_says_however_it_is_spelled() {
        let fields = KeyFields::new(["k"]);
        let plain = fields.key_of(r#"{"k":"a/b"}"#).unwrap();
        for spelled in [
            r#"{ "k" : "\u0061\/b" }"#,
            r#"{"\u006b":"a/b","x":[{"k":"no"}]}"#,
            r#"{"k":"earlier","k":"a/b"}"#,
        ] {
            assert_eq!(fields.key_of(spelled).unwrap(), plain, "{spelled}");
        }
        assert_eq!(plain, Key::from("a/b"));
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let fields = KeyFields::new(["a", "b"]);
        let key = |text| fields.key_of(text).unwrap();
        assert_ne!(key(r#"{"a":"xy","b":"z"}"#), key(r#"{"a":"x","b":"yz"}"#));
        assert_ne!(key(r#"{"a":"1","b":2}"#), key(r#"{"a":1,"b":"2"}"#));
        assert_eq!(key(r#"{"b":-2,"a":""}"#), Key::of(["".into(), (-2).into()]));
    }

    #[test]
    fn a_record_without_a_key_says_what_is_missing() {
        let fields = KeyFields::new(["grade_key"]);
        let reason = |text| fields.key_of(text).unwrap_err().to_string();
        assert_eq!(reason(r#"{"other":1}"#), "`grade_key` is missing");
        assert!(reason(r#"{"grade_key":null}"#).contains("expected a string or an integer"));
        assert!(reason(r#"{"grade_key":"a","rest":[1,}"#).contains("column"));
        assert!(reason(r#"{"grade_key":"a"} x"#).contains("trailing"));
        assert!(reason("[]").contains("expected an object"));
    }
}
