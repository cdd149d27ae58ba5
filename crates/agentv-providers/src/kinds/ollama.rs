//! `ollama`: models on a machine of one's own.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "ollama",
    aliases: &[],
    doc: "Calls a model served by Ollama.",
    key: "The API key, if the server requires one.",
    model: "llama3.3",
    vendor: Vendor::on_this_machine("Ollama", "http://localhost:11434/v1", &[], "ollama"),
}
