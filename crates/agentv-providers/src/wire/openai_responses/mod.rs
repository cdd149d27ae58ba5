//! OpenAI's responses.

mod request;
mod response;

use super::{Ask, Assemble, Media, Parameter, Reply, Unsendable, Wire, WireError};

/// The protocol of `POST /responses`.
pub(crate) struct OpenAiResponses;

const NAME: &str = "OpenAI responses";

impl Wire for OpenAiResponses {
    fn name(&self) -> &'static str {
        NAME
    }

    fn has(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Stop | Parameter::Seed | Parameter::ThinkingBudget => false,
            Parameter::ReasoningEffort
            | Parameter::JsonObject
            | Parameter::JsonSchema
            | Parameter::Logprobs
            | Parameter::NoTools => true,
        }
    }

    fn shows_in_result(&self, _: &str, media: &Media<'_>) -> bool {
        request::shows_in_result(media)
    }

    fn merged_fields(&self) -> &'static [&'static str] {
        &["reasoning", "text", "tools", "include"]
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
