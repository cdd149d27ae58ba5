//! The interface that every protocol implements.

use super::{Conversation, Dialect, Format, Media, Parameter, Parameters, Reply, Tool};
use super::{
    anthropic_messages, bedrock_converse, gemini_generate_content, openai_chat, openai_responses,
};

/// The protocols that vendors speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// OpenAI's chat completions.
    Chat,
    /// OpenAI's responses.
    Responses,
    /// Anthropic's messages.
    Messages,
    /// Google's `generateContent`.
    Generate,
    /// Amazon's `converse`.
    Converse,
}

impl Protocol {
    /// Returns the implementation of the protocol.
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Protocol::Chat => &openai_chat::OpenAiChat,
            Protocol::Responses => &openai_responses::OpenAiResponses,
            Protocol::Messages => &anthropic_messages::AnthropicMessages,
            Protocol::Generate => &gemini_generate_content::GeminiGenerateContent,
            Protocol::Converse => &bedrock_converse::BedrockConverse,
        }
    }
}

/// A question in no protocol's terms.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// The model, as the vendor names it.
    pub(crate) model: &'a str,
    pub(crate) conversation: &'a Conversation<'a>,
    pub(crate) parameters: &'a Parameters,
    /// The functions that the model may call.
    pub(crate) tools: &'a [Tool],
    /// The format of the answer.
    pub(crate) format: Option<&'a Format>,
    /// True if the answer is asked for as a stream.
    pub(crate) stream: bool,
    /// The differences between vendors that speak the same protocol.
    pub(crate) dialect: &'a Dialect,
}

/// A protocol.
pub(crate) trait Wire: Send + Sync {
    /// Returns the name of the protocol, as in `the OpenAI chat protocol`.
    fn name(&self) -> &'static str;

    /// Checks that the protocol has a parameter.
    fn has(&self, parameter: Parameter) -> bool;

    /// Returns true if messages have the name of their author.
    fn has_names(&self) -> bool {
        false
    }

    /// Returns true if the result of a tool may hold the media.
    fn shows_in_result(&self, model: &str, media: &Media<'_>) -> bool;

    /// Returns the fields of the request whose objects are merged with those of `params` key by key, and
    /// whose lists are joined with those. A name with a dot is that of a field in such an object.
    fn merged_fields(&self) -> &'static [&'static str];

    /// Returns the field of the request that asks for several answers, in the form of `merged_fields`.
    fn alternatives(&self) -> Option<&'static str> {
        None
    }

    /// Returns true if a field of the body asks for a stream, and not the address.
    fn streams_by_field(&self) -> bool {
        true
    }

    /// Writes the body of a request, without `params`.
    ///
    /// # Errors
    /// If the conversation holds something that the protocol cannot carry.
    fn write(&self, ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable>;

    /// Reads an answer that came at once.
    ///
    /// # Errors
    /// If the text is not an answer of the protocol.
    fn read(&self, body: &str) -> Result<Reply, WireError>;

    /// Returns an empty answer for the events of a stream.
    fn assembler(&self) -> Box<dyn Assemble>;
}

/// Puts the events of a stream together.
pub(crate) trait Assemble: Send {
    /// Takes the next event. `name` is empty where the stream does not name its events.
    ///
    /// # Errors
    /// If the event is not one of the protocol, or reports an error.
    fn event(&mut self, name: &str, data: &str) -> Result<Progress, WireError>;

    /// Returns the answer.
    ///
    /// # Errors
    /// If the stream ended before the answer did.
    fn finish(self: Box<Self>) -> Result<Reply, WireError>;
}

/// The meaning of an event for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The model has said nothing new.
    Nothing,
    /// The model has said something.
    Token,
    /// No further event belongs to the answer.
    Last,
}

/// A part of a conversation that a protocol cannot carry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {protocol} protocol cannot carry {what}")]
pub(crate) struct Unsendable {
    /// The name of the protocol.
    pub(crate) protocol: &'static str,
    /// The part, such as ``a block of type `audio` ``.
    pub(crate) what: String,
}

/// An answer that is not one of its protocol.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The JSON is invalid, or has other types than those of the protocol.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The vendor reports an error in place of an answer, or within it. The text is JSON.
    #[error("an error in place of an answer")]
    Reported(String),
    /// The answer says nothing, and does not say why.
    #[error("no message")]
    NoMessage,
    /// The stream ended before the answer did.
    #[error("the stream ended early")]
    Cut,
    /// The arguments of a tool call are nested too deep for a record.
    #[error("arguments nested too deep")]
    TooDeep,
}
