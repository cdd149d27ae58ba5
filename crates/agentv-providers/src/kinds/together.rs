//! `together`: models that Together AI hosts.

use crate::model::Vendor;

super::model::chat_vendor! {
    name: "together",
    aliases: &[],
    doc: "Calls a model hosted by Together AI.",
    key: "The API key (default: the environment variable `TOGETHER_API_KEY`).",
    model: "openai/gpt-oss-20b",
    vendor: Vendor::like_openai(
        "Together AI",
        "https://api.together.xyz/v1",
        &["TOGETHER_API_KEY"],
        "together",
    ),
}
