//! The bodies of answers and errors, as each vendor writes them.

mod anthropic;
mod call;
mod chat;
mod converse;
mod gemini;
mod plain;
mod responses;
mod stream;

use crate::model::Usage;
use crate::model::protocol::Protocol;

pub(crate) use call::{Call, CallInput};
pub(crate) use stream::{End, stream};

/// The parts of an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    pub(crate) number: u64,
    pub(crate) model: &'a str,
    pub(crate) text: &'a str,
    pub(crate) form: Form<'a>,
    pub(crate) usage: Option<Usage>,
}

impl Said<'_> {
    /// Returns true if calls follow a text.
    fn has_text(&self) -> bool {
        !self.text.is_empty()
    }
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form<'a> {
    Text,
    /// A text that was cut off.
    Cut,
    /// Calls of tools, after the text if there is any.
    Calls(&'a [Call]),
    /// An empty answer.
    Nothing,
}

pub(crate) fn answer(protocol: Protocol, said: &Said<'_>) -> String {
    match protocol {
        Protocol::OpenAiChat => chat::answer(said),
        Protocol::OpenAiResponses => responses::answer(said),
        Protocol::Anthropic => anthropic::answer(said),
        Protocol::Gemini => gemini::answer(said),
        Protocol::Converse => converse::answer(said),
        Protocol::Plain => plain::answer(said),
    }
}

/// Returns the error for `status`.
pub(crate) fn error(protocol: Protocol, status: u16, message: &str) -> String {
    match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => chat::error(status, message),
        Protocol::Anthropic => anthropic::error(status, message),
        Protocol::Gemini => gemini::error(status, message),
        Protocol::Converse => converse::error(message),
        Protocol::Plain => plain::error(message),
    }
}

/// Returns the status and body with which a vendor reports that the quota is used up.
pub(crate) fn quota(protocol: Protocol) -> (u16, String) {
    match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => (429, chat::quota()),
        Protocol::Anthropic => (400, anthropic::quota()),
        Protocol::Gemini => (429, gemini::error(429, "You exceeded your current quota.")),
        Protocol::Converse => (429, converse::error("Too many tokens, please wait.")),
        Protocol::Plain => (402, plain::error("no money left")),
    }
}

/// Returns the text as a JSON string.
fn quoted(text: &str) -> String {
    // Writing a string to memory cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}
