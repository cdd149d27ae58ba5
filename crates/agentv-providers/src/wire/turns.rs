//! A conversation in no protocol's terms.

use std::borrow::Cow;

use agentv_core::Extra;
use serde_json::Value;

use super::{Media, Unsendable};

/// A system prompt, and the turns after it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Conversation<'a> {
    pub(crate) system: Option<Cow<'a, str>>,
    pub(crate) turns: Vec<Turn<'a>>,
}

/// One turn of a conversation.
#[derive(Debug, PartialEq)]
pub(crate) enum Turn<'a> {
    /// Instructions in the middle of the conversation.
    System(Cow<'a, str>),
    User(Vec<Part<'a>>),
    Assistant(Assistant<'a>),
    Tool(ToolResult<'a>),
}

/// A turn of the model.
#[derive(Debug, PartialEq)]
pub(crate) struct Assistant<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) calls: Vec<Call<'a>>,
    /// Data of the vendor that belongs to the turn and must come back unchanged with it.
    pub(crate) carried: Option<&'a Value>,
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
}

impl Call<'_> {
    /// Returns the arguments as an object, where a protocol requires one. Arguments that the model wrote
    /// as something else are its field `input`.
    pub(crate) fn object(&self) -> Cow<'_, Value> {
        match &*self.input {
            object @ Value::Object(_) => Cow::Borrowed(object),
            Value::Null => Cow::Owned(Value::Object(Extra::new())),
            other => {
                let field = ("input".to_owned(), other.clone());
                Cow::Owned(Value::Object(Extra::from_iter([field])))
            }
        }
    }

    /// Returns the arguments as JSON text, as OpenAI's protocols carry them.
    pub(crate) fn arguments(&self) -> Cow<'_, str> {
        match &*self.input {
            Value::String(text) => Cow::Borrowed(text),
            Value::Null => Cow::Borrowed("{}"),
            other => Cow::Owned(other.to_string()),
        }
    }
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(crate) struct ToolResult<'a> {
    /// The id of the call.
    pub(crate) id: Cow<'a, str>,
    /// The name of the tool.
    pub(crate) name: &'a str,
    pub(crate) text: Cow<'a, str>,
    pub(crate) is_error: bool,
}

/// Returns the error of a system message where a protocol has none.
pub(crate) fn late_instructions(protocol: &'static str) -> Unsendable {
    Unsendable {
        protocol,
        what: "a `system` message after other messages; move it to the start".to_owned(),
    }
}
