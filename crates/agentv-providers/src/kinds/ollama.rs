//! `ollama`: models on a machine of one's own.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, TEMPERATURE, api_key};

pub(super) static KIND: Kind = Kind {
    name: "ollama",
    aliases: &[],
    doc: "Asks a model that Ollama serves.",
    options: Record {
        name: "ollama",
        fields: &[
            api_key("The key of the server, where it wants one."),
            MODEL,
            BASE_URL,
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
            HEADERS,
        ],
        required: &[&["model"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    build: super::unavailable,
};
