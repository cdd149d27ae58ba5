//! Cutting records that are too large for a page.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::figures::count;
use crate::text::clip;

/// The longest text that is shown completely, in bytes.
pub(super) const LONGEST_TEXT: usize = 200_000;
/// The largest size of a record, in bytes.
const LARGEST_RECORD: usize = 2_000_000;
/// The size of a value in addition to its text.
const VALUE: usize = 8;

/// Appends the record and returns the number of values that were cut. A record without long texts
/// is appended unchanged. Only what is appended is held in memory.
pub(super) fn append(record: &str, to: &mut Vec<u8>) -> u64 {
    let start = to.len();
    if record.len() > LONGEST_TEXT {
        let mut room = Room {
            left: LARGEST_RECORD,
            cuts: 0,
            out: to,
        };
        let mut source = serde_json::Deserializer::from_str(record);
        if (&mut room).deserialize(&mut source).is_ok() && source.end().is_ok() {
            return room.cuts;
        }
    }
    to.truncate(start);
    to.extend_from_slice(record.as_bytes());
    0
}

/// Writes a value as far as there is room, and reads over the rest of it.
struct Room<'a> {
    left: usize,
    cuts: u64,
    out: &'a mut Vec<u8>,
}

impl Room<'_> {
    fn take(&mut self, size: usize) {
        self.left = self.left.saturating_sub(size);
    }

    /// Writes a scalar or a name as it is in JSON.
    fn write<E: serde::de::Error>(&mut self, value: impl serde::Serialize) -> Result<(), E> {
        serde_json::to_writer(&mut *self.out, &value).map_err(E::custom)
    }

    fn write_text<E: serde::de::Error>(&mut self, text: &str) -> Result<(), E> {
        let kept = clip(text, LONGEST_TEXT.min(self.left));
        self.take(kept.len());
        if kept.len() == text.len() {
            return self.write(text);
        }
        self.cuts += 1;
        let more = count((text.len() - kept.len()) as u64);
        self.write(format!("{kept}… [truncated: {more} more bytes]"))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Room<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<(), D::Error> {
        self.take(VALUE);
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Room<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.write(())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.write(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.write(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.write(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.write(value)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.write_text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.out.push(b'[');
        let start = self.out.len();
        while self.left > 0 {
            // The comma goes before an item, and there may be none.
            let before = self.out.len();
            if before > start {
                self.out.push(b',');
            }
            if items.next_element_seed(&mut *self)?.is_none() {
                self.out.truncate(before);
                self.out.push(b']');
                return Ok(());
            }
        }
        let mut more = 0;
        while items.next_element::<IgnoredAny>()?.is_some() {
            more += 1;
        }
        if more > 0 {
            self.cuts += 1;
            if self.out.len() > start {
                self.out.push(b',');
            }
            self.write(format!("… [truncated: {} more items]", count(more)))?;
        }
        self.out.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.out.push(b'{');
        let start = self.out.len();
        while let Some(name) = fields.next_key::<String>()? {
            if self.out.len() > start {
                self.out.push(b',');
            }
            self.take(name.len());
            self.write(&name)?;
            self.out.push(b':');
            fields.next_value_seed(&mut *self)?;
        }
        self.out.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn cut(record: &Value) -> (Value, u64) {
        let mut bytes = Vec::new();
        let cuts = append(&record.to_string(), &mut bytes);
        (serde_json::from_slice(&bytes).unwrap(), cuts)
    }

    #[test]
    fn a_record_of_usual_size_is_not_changed() {
        let mut bytes = Vec::new();
        assert_eq!(append(r#"{"a": 1.0}"#, &mut bytes), 0);
        assert_eq!(bytes, br#"{"a": 1.0}"#);
    }

    #[test]
    fn a_long_text_is_cut_between_letters_and_says_so() {
        let (record, cuts) = cut(&json!({"a": "é".repeat(150_001), "b": "short"}));
        let text = record["a"].as_str().unwrap();
        assert!(text.ends_with("é… [truncated: 100,002 more bytes]"));
        assert_eq!((record["b"].as_str(), cuts), (Some("short"), 1));
    }

    #[test]
    fn a_record_of_many_values_stays_small() {
        let texts = vec!["x".repeat(100_000); 100];
        let (record, cuts) = cut(&json!({"texts": texts, "numbers": vec![1; 2_000_000]}));
        assert!(record.to_string().len() < LARGEST_RECORD + 1_000);
        assert!(cuts >= 2, "{cuts}");
        let last = record["numbers"].as_array().unwrap().last().unwrap();
        assert!(last.as_str().unwrap().contains("more items"), "{last}");
    }

    #[test]
    fn a_long_record_keeps_every_kind_of_value() {
        let long = "x".repeat(LONGEST_TEXT);
        let record = json!({"null": null, "yes": true, "low": -3, "high": u64::MAX, "half": 0.5, "none": [], "no": {}, "nested": [[1], {"a": [{}]}], "\u{202e}\"name": "\u{0}\n", "long": long});
        assert_eq!(cut(&record), (record, 0));
    }

    #[test]
    fn a_record_that_is_not_json_is_not_changed() {
        let broken = format!("{{\"a\": \"{}\", oops", "x".repeat(LONGEST_TEXT));
        let mut bytes = b"before".to_vec();
        assert_eq!(append(&broken, &mut bytes), 0);
        assert_eq!(bytes, format!("before{broken}").as_bytes());
    }
}
