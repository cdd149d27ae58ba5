//! The question of a transcript, without the rest of it.

use std::borrow::Cow;

use agentv_core::Role;
use serde::Deserialize;
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

impl TranscriptQuestion<'_> {
    /// Returns the last user message, without the content of files.
    pub fn question(&self) -> String {
        let mut messages = self.case.input_messages.iter().rev();
        let asked = messages.find(|message| message.role == Role::User);
        let content = asked.and_then(|message| message.content);
        let content = content.and_then(|content| serde_json::from_str(content.get()).ok());
        content.map(text_of).unwrap_or_default()
    }
}

fn text_of(content: Value) -> String {
    match content {
        Value::String(text) => text,
        Value::Array(blocks) => {
            let is_file = |block: &Value| block.get("type").is_some_and(|kind| kind == "file");
            let texts = blocks.iter().filter(|block| !is_file(block));
            let texts = texts.filter_map(|block| block.get("value")?.as_str());
            texts.collect::<Vec<_>>().join(" ")
        }
        value @ Value::Object(_) => value.to_string(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}
