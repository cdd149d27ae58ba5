//! `openrouter`: models of many vendors.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "openrouter",
    aliases: &[],
    doc: "Calls a model through OpenRouter.",
    key: "The API key (default: the environment variable `OPENROUTER_API_KEY`).",
    model: "openai/gpt-5",
    vendor: Vendor::like_openai(
        "OpenRouter",
        "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"],
        "openrouter",
    ),
}
