//! `groq`: models that Groq hosts.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "groq",
    aliases: &[],
    doc: "Calls a model hosted by Groq.",
    key: "The API key (default: the environment variable `GROQ_API_KEY`).",
    model: "llama-3.3-70b-versatile",
    vendor: Vendor::like_openai(
        "Groq",
        "https://api.groq.com/openai/v1",
        &["GROQ_API_KEY"],
        "groq",
    ),
}
