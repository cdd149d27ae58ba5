//! `lm-studio`: models that LM Studio hosts.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "lm-studio",
    aliases: &["lmstudio"],
    doc: "Calls a model served by LM Studio.",
    key: "The API key, if the server requires one.",
    model: "openai/gpt-oss-20b",
    vendor: Vendor::on_this_machine("LM Studio", "http://localhost:1234/v1", &[], "lm-studio"),
}
