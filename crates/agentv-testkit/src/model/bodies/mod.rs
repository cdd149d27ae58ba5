//! The bodies of answers and errors, as each vendor writes them.

mod anthropic;
mod chat;
mod gemini;
mod plain;
mod responses;

use crate::model::Usage;
use crate::model::protocol::Protocol;

/// What an answer is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    pub(crate) number: u64,
    pub(crate) model: &'a str,
    pub(crate) text: &'a str,
    pub(crate) form: Form<'a>,
    pub(crate) usage: Option<Usage>,
}

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form<'a> {
    Text,
    /// Text that was cut off.
    Cut,
    /// The call of a tool of this name.
    Tool(&'a str),
    /// Nothing said at all.
    Nothing,
}

/// The arguments of every call of a tool.
const ARGUMENTS: &str = r#"{"query":"weather"}"#;

pub(crate) fn answer(protocol: Protocol, said: &Said<'_>) -> String {
    match protocol {
        Protocol::OpenAiChat => chat::answer(said),
        Protocol::OpenAiResponses => responses::answer(said),
        Protocol::Anthropic => anthropic::answer(said),
        Protocol::Gemini => gemini::answer(said),
        Protocol::Plain => plain::answer(said),
    }
}

/// A text answer as a stream of events, where the protocol has such.
pub(crate) fn events(protocol: Protocol, said: &Said<'_>) -> Option<String> {
    let text = matches!(said.form, Form::Text | Form::Cut);
    (text && protocol == Protocol::OpenAiChat).then(|| chat::events(said))
}

/// The error that goes with `status`.
pub(crate) fn error(protocol: Protocol, status: u16, message: &str) -> String {
    match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => chat::error(status, message),
        Protocol::Anthropic => anthropic::error(status, message),
        Protocol::Gemini => gemini::error(status, message),
        Protocol::Plain => plain::error(message),
    }
}

/// How a vendor says that there is no money left: the status and the body.
pub(crate) fn quota(protocol: Protocol) -> (u16, String) {
    match protocol {
        Protocol::OpenAiChat | Protocol::OpenAiResponses => (429, chat::quota()),
        Protocol::Anthropic => (400, anthropic::quota()),
        Protocol::Gemini => (429, gemini::error(429, "You exceeded your current quota.")),
        Protocol::Plain => (402, plain::error("no money left")),
    }
}

/// The text as a JSON string.
fn quoted(text: &str) -> String {
    // Writing a string to memory does not fail.
    serde_json::to_string(text).unwrap_or_default()
}
