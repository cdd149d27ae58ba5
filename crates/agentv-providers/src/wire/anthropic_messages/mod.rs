//! Anthropic's messages.

mod request;
mod response;

use super::{Ask, Assemble, Media, Parameter, Reply, Unsendable, Wire, WireError};

/// The protocol of `POST /messages`.
pub(crate) struct AnthropicMessages;

const NAME: &str = "Anthropic messages";

impl Wire for AnthropicMessages {
    fn name(&self) -> &'static str {
        NAME
    }

    fn has(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Seed | Parameter::JsonObject | Parameter::Logprobs => false,
            Parameter::Stop
            | Parameter::ReasoningEffort
            | Parameter::ThinkingBudget
            | Parameter::JsonSchema
            | Parameter::NoTools => true,
        }
    }

    fn shows_in_result(&self, _: &str, media: &Media<'_>) -> bool {
        request::shows_in_result(media)
    }

    fn merged_fields(&self) -> &'static [&'static str] {
        &["output_config", "thinking", "tools"]
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
