//! What a case asks, as a number: whether it is the same today as when it was asked.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use agentv_core::{EvalCase, Extra, Message};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

/// What a target was asked, whichever it was: everything of a case that can change its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct Question {
    input_messages: Fingerprint,
    #[serde(default)]
    guideline_files: Fingerprint,
    #[serde(default)]
    variables: Fingerprint,
}

impl Question {
    /// One number for all of it.
    pub(crate) fn digest(self) -> u64 {
        let mut hasher = DefaultHasher::new();
        let parts = [self.input_messages, self.guideline_files, self.variables];
        parts.map(|part| part.0).hash(&mut hasher);
        hasher.finish()
    }

    /// What a case asks; `buffer` is memory to work in.
    pub(crate) fn of(case: &EvalCase, buffer: &mut Vec<u8>) -> Option<Question> {
        #[derive(Serialize)]
        struct Asked<'a> {
            input_messages: &'a [Message],
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            guideline_files: &'a [String],
            #[serde(skip_serializing_if = "Extra::is_empty")]
            variables: &'a Extra,
        }
        let asked = Asked {
            input_messages: &case.input_messages,
            guideline_files: &case.guideline_files,
            variables: &case.variables,
        };
        buffer.clear();
        serde_json::to_writer(&mut *buffer, &asked).ok()?;
        serde_json::from_slice(buffer).ok()
    }
}

/// A number for a JSON value, made while it is read; nothing of the value is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Fingerprint(u64);

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fingerprint, D::Error> {
        let mut hasher = DefaultHasher::new();
        Part(&mut hasher).deserialize(deserializer)?;
        Ok(Fingerprint(hasher.finish()))
    }
}

struct Part<'h>(&'h mut DefaultHasher);

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        b'n'.hash(self.0);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        (b'b', value).hash(self.0);
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        (b'u', value).hash(self.0);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        (b'i', value).hash(self.0);
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        (b'f', value.to_bits()).hash(self.0);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        (b's', value).hash(self.0);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        b'['.hash(self.0);
        while items.next_element_seed(Part(self.0))?.is_some() {}
        b']'.hash(self.0);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        b'{'.hash(self.0);
        while fields.next_key_seed(Part(self.0))?.is_some() {
            fields.next_value_seed(Part(self.0))?;
        }
        b'}'.hash(self.0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::case;

    #[test]
    fn a_case_that_was_written_and_read_asks_the_same_and_another_question_does_not() {
        let mut asked = case("a", "What is 2+2?");
        asked.variables.insert("n".to_owned(), 2.5.into());
        let digest = |case: &EvalCase| Question::of(case, &mut Vec::new()).unwrap().digest();
        let read: Question = serde_json::from_str(&serde_json::to_string(&asked).unwrap()).unwrap();
        assert_eq!(read.digest(), digest(&asked));
        let mut regraded = asked.clone();
        regraded.evaluators = Default::default();
        regraded.expected_outcome = Some("another".to_owned());
        assert_eq!(digest(&regraded), digest(&asked));
        for change in [
            |case: &mut EvalCase| case.guideline_files.push("a.md".to_owned()),
            |case: &mut EvalCase| case.variables.clear(),
            |case: &mut EvalCase| case.input_messages.push(case.input_messages[0].clone()),
        ] {
            let mut other = asked.clone();
            change(&mut other);
            assert_ne!(digest(&other), digest(&asked));
        }
    }
}
