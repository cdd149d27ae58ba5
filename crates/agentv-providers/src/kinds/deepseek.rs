//! `deepseek`: the models of DeepSeek.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "deepseek",
    aliases: &[],
    doc: "Calls a DeepSeek model.",
    key: "The API key (default: the environment variable `DEEPSEEK_API_KEY`).",
    model: "deepseek-chat",
    vendor: Vendor::like_openai(
        "DeepSeek",
        "https://api.deepseek.com/v1",
        &["DEEPSEEK_API_KEY"],
        "deepseek",
    ),
}
