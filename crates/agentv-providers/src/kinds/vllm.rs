//! `vllm`: models that a vLLM server hosts.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "vllm",
    aliases: &[],
    doc: "Calls a model served by vLLM.",
    key: "The API key, if the server requires one.",
    model: "Qwen/Qwen3-8B",
    vendor: Vendor::on_this_machine("vLLM", "http://localhost:8000/v1", &["VLLM_API_KEY"], "vllm"),
}
