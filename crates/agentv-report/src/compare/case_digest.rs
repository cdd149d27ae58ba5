//! What a case asks and how it is graded, as one number.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use agentv_journal::{FileError, Line, Reader};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// What makes a case another one. Where it stands, and what it is run on, does not.
const FIELDS: [&str; 7] = [
    "input_messages",
    "expected_outcome",
    "expected_messages",
    "evaluators",
    "rubrics",
    "guideline_files",
    "variables",
];

/// The digests of the cases in a file of transcripts, by the digest of their answer key.
pub(super) fn read(path: &Path) -> Result<HashMap<u64, u64>, FileError> {
    let mut digests = HashMap::new();
    for line in Reader::<Asked>::open(path)? {
        if let Line::Record(record) = line? {
            let Asked { answer_key, case } = record.value;
            digests.insert(digest_of(&answer_key), case.0);
        }
    }
    Ok(digests)
}

/// A number for a text, the same wherever the program is.
pub(super) fn digest_of(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[derive(Deserialize)]
struct Asked {
    answer_key: String,
    case: CaseDigest,
}

/// A digest of the fields that matter, as they are written: nothing of them is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CaseDigest(u64);

impl<'de> Deserialize<'de> for CaseDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CaseDigest, D::Error> {
        deserializer.deserialize_map(CaseFields)
    }
}

struct CaseFields;

impl<'de> Visitor<'de> for CaseFields {
    type Value = CaseDigest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a case")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<CaseDigest, M::Error> {
        let mut digest = 0_u64;
        while let Some(name) = map.next_key::<String>()? {
            if FIELDS.contains(&name.as_str()) {
                let mut hasher = DefaultHasher::new();
                name.hash(&mut hasher);
                map.next_value_seed(Hashed(&mut hasher))?;
                // The order of fields changes nothing.
                digest ^= hasher.finish();
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(CaseDigest(digest))
    }
}

/// Hashes a value of any kind while it is read.
struct Hashed<'h>(&'h mut DefaultHasher);

impl<'de> DeserializeSeed<'de> for Hashed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Hashed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        b'n'.hash(self.0);
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        (b'b', value).hash(self.0);
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        (b'u', value).hash(self.0);
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        (b'i', value).hash(self.0);
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        (b'f', value.to_bits()).hash(self.0);
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        (b's', value).hash(self.0);
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        b'['.hash(self.0);
        while seq.next_element_seed(Hashed(self.0))?.is_some() {}
        b']'.hash(self.0);
        Ok(())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        b'{'.hash(self.0);
        while map.next_key_seed(Hashed(self.0))?.is_some() {
            map.next_value_seed(Hashed(self.0))?;
        }
        b'}'.hash(self.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(case: &str) -> CaseDigest {
        serde_json::from_str(case).unwrap()
    }

    #[test]
    fn only_what_is_asked_and_graded_makes_another_case() {
        let case =
            r#"{"id":"a","input_messages":[{"role":"user","content":"hi"}],"rubrics":[1,2]}"#;
        let moved = r#"{"source":{"file":"b","line":9},"rubrics":[1,2],"input_messages":
            [{"role":"user","content":"hi"}],"id":"a","execution":{"target":"other"}}"#;
        assert_eq!(digest(case), digest(moved));
        for other in [
            r#"{"id":"a","input_messages":[{"role":"user","content":"ho"}],"rubrics":[1,2]}"#,
            r#"{"id":"a","input_messages":[{"role":"user","content":"hi"}],"rubrics":[[1],2]}"#,
            r#"{"id":"a","input_messages":[{"role":"user","content":"hi"}],"rubrics":[1,2.5]}"#,
            r#"{"id":"a","input_messages":[{"role":"user","content":"hi"}],"evaluators":[1,2]}"#,
        ] {
            assert_ne!(digest(case), digest(other), "{other}");
        }
    }
}
