//! `xai`: the models of xAI.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "xai",
    aliases: &["x-ai"],
    doc: "Calls an xAI Grok model.",
    key: "The API key (default: the environment variable `XAI_API_KEY`).",
    model: "grok-4",
    vendor: Vendor::like_openai("xAI", "https://api.x.ai/v1", &["XAI_API_KEY"], "xai"),
}
