//! The question of a transcript, without the rest of it.

use std::borrow::Cow;
use std::fmt;

use agentv_core::Role;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The part of a transcript that identifies it and contains its question.
#[derive(Debug, Deserialize)]
pub struct TranscriptQuestion<'a> {
    /// The digest of everything that can change the answer.
    #[serde(borrow)]
    pub answer_key: Cow<'a, str>,
    /// The id of the case.
    #[serde(borrow)]
    pub eval_id: Cow<'a, str>,
    #[serde(borrow)]
    case: AskedCase<'a>,
}

#[derive(Debug, Deserialize)]
struct AskedCase<'a> {
    #[serde(borrow)]
    input_messages: Vec<AskedMessage<'a>>,
}

#[derive(Debug, Deserialize)]
struct AskedMessage<'a> {
    role: Role,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
}

/// A text that borrows if nothing in it is escaped.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> TranscriptQuestion<'a> {
    /// Reads the question of a record, and nothing after it: what the target did may be very long. The rest of
    /// the record is not checked, except that it ends like an object. Returns `None` if this is no transcript.
    pub fn at_start_of(record: &'a [u8]) -> Option<TranscriptQuestion<'a>> {
        if !record.trim_ascii_end().ends_with(b"}") {
            return None;
        }
        let mut fields = Fields::default();
        let mut record = serde_json::Deserializer::from_slice(record);
        // It fails if the fields are complete before the end of the record. Then they are all that is needed.
        drop(fields.deserialize(&mut record));
        fields.question()
    }

    /// Returns the last user message, without the content of files.
    pub fn question(&self) -> Cow<'a, str> {
        let mut messages = self.case.input_messages.iter().rev();
        let asked = messages.find(|message| message.role == Role::User);
        let Some(content) = asked.and_then(|message| message.content) else {
            return Cow::default();
        };
        match serde_json::from_str::<Text<'a>>(content.get()) {
            Ok(Text(text)) => text,
            Err(_) => serde_json::from_str(content.get()).map_or_else(|_| Cow::default(), text_of),
        }
    }
}

/// The fields of a question that were found so far.
#[derive(Default)]
struct Fields<'a> {
    answer_key: Option<Cow<'a, str>>,
    eval_id: Option<Cow<'a, str>>,
    case: Option<AskedCase<'a>>,
}

impl<'a> Fields<'a> {
    fn is_complete(&self) -> bool {
        self.answer_key.is_some() && self.eval_id.is_some() && self.case.is_some()
    }

    fn question(self) -> Option<TranscriptQuestion<'a>> {
        Some(TranscriptQuestion {
            answer_key: self.answer_key?,
            eval_id: self.eval_id?,
            case: self.case?,
        })
    }
}

impl<'de> DeserializeSeed<'de> for &mut Fields<'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut Fields<'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a transcript")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while !self.is_complete()
            && let Some(Text(name)) = map.next_key()?
        {
            match &*name {
                "answer_key" => self.answer_key = Some(map.next_value::<Text<'de>>()?.0),
                "eval_id" => self.eval_id = Some(map.next_value::<Text<'de>>()?.0),
                "case" => self.case = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

fn text_of(content: Value) -> Cow<'static, str> {
    match content {
        Value::String(text) => Cow::Owned(text),
        Value::Array(blocks) => {
            let is_file = |block: &Value| block.get("type").is_some_and(|kind| kind == "file");
            let texts = blocks.iter().filter(|block| !is_file(block));
            let texts = texts.filter_map(|block| block.get("value")?.as_str());
            Cow::Owned(texts.collect::<Vec<_>>().join(" "))
        }
        value @ Value::Object(_) => Cow::Owned(value.to_string()),
        Value::Null | Value::Bool(_) | Value::Number(_) => Cow::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_read_from_the_start_of_a_record() {
        let record = br#"{"eval_id":"a","answer_key":"k","case":{"input_messages":[{"role":"user","content":"When?"}]},"transcript":"not read"}"#;
        let question = TranscriptQuestion::at_start_of(record).unwrap();
        assert_eq!((&*question.eval_id, &*question.question()), ("a", "When?"));
        let at_end = br#"{"transcript":{"x":[1]},"case":{"input_messages":[]},"eval_id":"a\n","answer_key":"k"}"#;
        let question = TranscriptQuestion::at_start_of(at_end).unwrap();
        assert_eq!((&*question.eval_id, &*question.question()), ("a\n", ""));
    }

    #[test]
    fn a_record_that_is_cut_or_lacks_a_field_has_no_question() {
        let cut =
            br#"{"eval_id":"a","answer_key":"k","case":{"input_messages":[]},"transcript":{"out"#;
        let lacking = br#"{"eval_id":"a","case":{"input_messages":[]}}"#;
        for record in [&cut[..], lacking, b"{}", b"[]}", b"", b"{\"eval_id\":1}"] {
            assert!(TranscriptQuestion::at_start_of(record).is_none());
        }
    }
}
