//! Anthropic's messages.

mod request;
mod response;

use super::{Ask, Assemble, Parameter, Reply, Unsendable, Wire, WireError};

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

    fn merged_fields(&self) -> &'static [&'static str] {
        &["output_config"]
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
