//! OpenAI's chat completions, which most vendors speak.

mod request;
mod response;

use super::{Ask, Assemble, Media, Parameter, Reply, Unsendable, Wire, WireError};

/// The protocol of `POST /chat/completions`.
pub(crate) struct OpenAiChat;

const NAME: &str = "OpenAI chat";

impl Wire for OpenAiChat {
    fn name(&self) -> &'static str {
        NAME
    }

    fn has(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::ThinkingBudget => false,
            Parameter::Stop
            | Parameter::Seed
            | Parameter::ReasoningEffort
            | Parameter::JsonObject
            | Parameter::JsonSchema
            | Parameter::Logprobs
            | Parameter::NoTools => true,
        }
    }

    fn has_names(&self) -> bool {
        true
    }

    fn shows_in_result(&self, _: &str, _: &Media<'_>) -> bool {
        false
    }

    fn merged_fields(&self) -> &'static [&'static str] {
        &["stream_options", "tools"]
    }

    fn alternatives(&self) -> Option<&'static str> {
        Some("n")
    }

    fn write(&self, ask: &Ask<'_>) -> Result<Vec<u8>, Unsendable> {
        request::write(ask)
    }

    fn read(&self, body: &str) -> Result<Reply, WireError> {
        response::read(body)
    }

    fn assembler(&self) -> Box<dyn Assemble> {
        Box::<response::Assembler>::default()
    }
}
