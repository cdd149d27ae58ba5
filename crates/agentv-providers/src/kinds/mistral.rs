//! `mistral`: the models of Mistral.

use crate::model::Vendor;
use crate::wire::Dialect;

super::model::chat_vendor! {
    name: "mistral",
    aliases: &["mistralai"],
    doc: "Calls a Mistral model.",
    key: "The API key (default: the environment variable `MISTRAL_API_KEY`).",
    model: "mistral-large-latest",
    vendor: Vendor {
        // Mistral refuses fields that it does not know and ids of another form, and sends the usage of a
        // stream unasked.
        dialect: Dialect {
            random_seed: true,
            asks_for_usage: false,
            short_ids: true,
        },
        ..Vendor::like_openai(
            "Mistral",
            "https://api.mistral.ai/v1",
            &["MISTRAL_API_KEY"],
            "mistral",
        )
    },
}
