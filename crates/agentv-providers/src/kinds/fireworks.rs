//! `fireworks`: models that Fireworks AI hosts.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "fireworks",
    aliases: &[],
    doc: "Calls a model hosted by Fireworks AI.",
    key: "The API key (default: the environment variable `FIREWORKS_API_KEY`).",
    model: "accounts/fireworks/models/gpt-oss-20b",
    vendor: Vendor::like_openai(
        "Fireworks AI",
        "https://api.fireworks.ai/inference/v1",
        &["FIREWORKS_API_KEY"],
        "fireworks",
    ),
}
