//! `llama.cpp`: the model that a `llama-server` hosts.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "llama.cpp",
    aliases: &["llama-cpp", "llamacpp"],
    doc: "Calls a model served by `llama-server` of llama.cpp.",
    key: "The API key, if the server requires one.",
    model: "gpt-oss-20b",
    vendor: Vendor::on_this_machine(
        "llama.cpp",
        "http://localhost:8080/v1",
        &["LLAMA_API_KEY"],
        "llama.cpp",
    ),
}
