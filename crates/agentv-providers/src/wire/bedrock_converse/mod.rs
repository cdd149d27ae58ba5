//! Amazon's `converse`, with a bearer key.

mod request;
mod response;

use super::{Ask, Assemble, Media, Parameter, Reply, Unsendable, Wire, WireError};

/// The protocol of `POST /model/MODEL/converse`.
pub(crate) struct BedrockConverse;

const NAME: &str = "Bedrock Converse";

impl Wire for BedrockConverse {
    fn name(&self) -> &'static str {
        NAME
    }

    fn has(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Stop | Parameter::ReasoningEffort | Parameter::JsonSchema => true,
            Parameter::Seed
            | Parameter::ThinkingBudget
            | Parameter::JsonObject
            | Parameter::Logprobs
            | Parameter::NoTools => false,
        }
    }

    fn shows_in_result(&self, _: &str, media: &Media<'_>) -> bool {
        request::shows_in_result(media)
    }

    fn merged_fields(&self) -> &'static [&'static str] {
        &[
            "inferenceConfig",
            "outputConfig",
            "toolConfig",
            "toolConfig.tools",
        ]
    }

    fn streams_by_field(&self) -> bool {
        false
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
