//! A conversation in no protocol's terms.

use std::borrow::Cow;

use agentv_core::Extra;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Media, Unsendable};

/// A system prompt, and the turns after it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Conversation<'a> {
    /// The messages of the system prompt, each with its text blocks.
    pub(crate) system: Vec<Vec<Cow<'a, str>>>,
    pub(crate) turns: Vec<Turn<'a>>,
}

impl Conversation<'_> {
    /// Returns the text blocks of the system prompt, for a protocol that has one place for all of them.
    pub(crate) fn system_blocks(&self) -> impl Iterator<Item = &str> {
        self.system.iter().flatten().map(|text| &**text)
    }
}

/// One turn of a conversation.
#[derive(Debug, PartialEq)]
pub(crate) enum Turn<'a> {
    /// Instructions in the middle of the conversation, with their text blocks.
    System(Vec<Cow<'a, str>>),
    User(User<'a>),
    Assistant(Assistant<'a>),
    Tool(ToolResult<'a>),
}

/// A turn of the user.
#[derive(Debug, PartialEq)]
pub(crate) struct User<'a> {
    pub(crate) parts: Vec<Part<'a>>,
    /// The name of the author, where a protocol has it.
    pub(crate) name: Option<&'a str>,
}

/// A turn of the model.
#[derive(Debug, PartialEq)]
pub(crate) struct Assistant<'a> {
    /// The name of the author, where a protocol has it.
    pub(crate) name: Option<&'a str>,
    /// The text blocks; none if the turn only calls tools.
    pub(crate) texts: Vec<Cow<'a, str>>,
    pub(crate) calls: Vec<Call<'a>>,
    /// Data of the vendor that belongs to the turn and must come back unchanged with it.
    pub(crate) carried: Option<&'a Value>,
}

impl Assistant<'_> {
    /// Returns the text blocks to send: none of a turn that only calls tools, and at least one of another.
    pub(crate) fn sent_texts(&self) -> impl Iterator<Item = &str> {
        let is_silent = self.texts.iter().all(|text| text.is_empty());
        let only_calls = is_silent && !self.calls.is_empty();
        let texts = self.texts.iter().filter(move |_| !only_calls);
        let none = (self.texts.is_empty() && !only_calls).then_some("");
        texts.map(|text| &**text).chain(none)
    }
}

impl Assistant<'_> {
    /// Returns the text blocks to send where a vendor refuses those of white space alone. A turn that is
    /// nothing else keeps them.
    pub(crate) fn visible_texts(&self) -> impl Iterator<Item = &str> {
        let has_more = !self.calls.is_empty() || !self.texts.iter().all(|text| is_blank(text));
        let texts = self.sent_texts();
        texts.filter(move |text| !(has_more && is_blank(text)))
    }
}

/// Checks for a text of white space alone.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// A piece of a turn.
#[derive(Debug, PartialEq)]
pub(crate) enum Part<'a> {
    Text(Cow<'a, str>),
    Media(Media<'a>),
}

/// A call of a tool.
#[derive(Debug, PartialEq)]
pub(crate) struct Call<'a> {
    pub(crate) id: Cow<'a, str>,
    pub(crate) name: &'a str,
    /// The arguments. A text is sent as it is, and need not be JSON.
    pub(crate) input: Cow<'a, Value>,
    /// A signature of the vendor that must come back with the call.
    pub(crate) signature: Option<&'a str>,
    /// The arguments as the model wrote them, if that is more than `input` says.
    pub(crate) written: Option<&'a str>,
    /// Further fields of the vendor that must come back with the call.
    pub(crate) carried: Option<&'a Extra>,
}

/// Arguments in a request.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Input<'a> {
    /// An object as the model wrote it.
    Written(&'a RawValue),
    Value(Cow<'a, Value>),
}

impl<'a> Call<'a> {
    /// Returns the id, if it was given and is not one of ours.
    pub(crate) fn given_id(&self) -> Option<&str> {
        given(&self.id)
    }

    /// Returns the arguments as an object, where a protocol requires one. Arguments that the model wrote
    /// as something else are its field `input`.
    pub(crate) fn object(&'a self) -> Input<'a> {
        let written = self
            .written
            .and_then(|text| serde_json::from_str(text).ok());
        Input::Value(match (&*self.input, written) {
            (Value::Object(_), Some(written)) => return Input::Written(written),
            (object @ Value::Object(_), None) => Cow::Borrowed(object),
            (Value::Null, _) => Cow::Owned(Value::Object(Extra::new())),
            (other, _) => {
                let field = ("input".to_owned(), other.clone());
                Cow::Owned(Value::Object(Extra::from_iter([field])))
            }
        })
    }

    /// Returns the arguments as JSON text, as OpenAI's protocols carry them.
    pub(crate) fn arguments(&self) -> Cow<'_, str> {
        match (&*self.input, self.written) {
            (_, Some(written)) => Cow::Borrowed(written),
            (Value::String(text), None) => Cow::Borrowed(text),
            (Value::Null, None) => Cow::Borrowed("{}"),
            (other, None) => Cow::Owned(other.to_string()),
        }
    }
}

/// Returns an id that was given: ours are made for the request.
#[expect(clippy::ptr_arg, reason = "whether the id is borrowed is the question")]
fn given<'a>(id: &'a Cow<'_, str>) -> Option<&'a str> {
    match id {
        Cow::Borrowed(id) => Some(id),
        Cow::Owned(_) => None,
    }
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolResult<'a> {
    /// The id of the call.
    pub(crate) id: Cow<'a, str>,
    /// The name of the tool.
    pub(crate) name: &'a str,
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) is_error: bool,
}

impl ToolResult<'_> {
    /// Returns the id, if it was given and is not one of ours.
    pub(crate) fn given_id(&self) -> Option<&str> {
        given(&self.id)
    }

    /// Returns the text blocks of the result.
    ///
    /// # Errors
    /// If it is more than text.
    pub(crate) fn texts(&self, protocol: &'static str) -> Result<Vec<&str>, Unsendable> {
        let texts = self.parts.iter().map(|part| match part {
            Part::Text(text) => Ok(&**text),
            Part::Media(media) => Err(Unsendable {
                what: format!("{} in the result of a tool", media.described()),
                protocol,
            }),
        });
        texts.collect()
    }
}

/// Returns the error of a conversation that a protocol does not begin with instructions alone.
pub(crate) fn instructions_alone(protocol: &'static str) -> Unsendable {
    Unsendable {
        protocol,
        what: "`system` messages alone; add a `user` message".to_owned(),
    }
}

/// Returns the error of a system message where a protocol has none.
pub(crate) fn late_instructions(protocol: &'static str) -> Unsendable {
    Unsendable {
        protocol,
        what: "a `system` message after other messages; move it to the start".to_owned(),
    }
}
