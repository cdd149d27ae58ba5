//! Google's `generateContent`.

mod request;
mod response;

use super::{Ask, Assemble, Media, Parameter, Reply, Unsendable, Wire, WireError};

/// The protocol of `POST /models/MODEL:generateContent`.
pub(crate) struct GeminiGenerateContent;

const NAME: &str = "Gemini generateContent";

impl Wire for GeminiGenerateContent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn has(&self, parameter: Parameter) -> bool {
        match parameter {
            Parameter::Stop
            | Parameter::Seed
            | Parameter::ReasoningEffort
            | Parameter::ThinkingBudget
            | Parameter::JsonObject
            | Parameter::JsonSchema
            | Parameter::Logprobs
            | Parameter::NoTools => true,
        }
    }

    fn shows_in_result(&self, model: &str, media: &Media<'_>) -> bool {
        request::shows_in_result(model, media)
    }

    fn merged_fields(&self) -> &'static [&'static str] {
        &[
            "generationConfig",
            "generationConfig.thinkingConfig",
            "tools",
            "toolConfig",
        ]
    }

    fn alternatives(&self) -> Option<&'static str> {
        Some("generationConfig.candidateCount")
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
