//! `deepseek`: the models of DeepSeek.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, TEMPERATURE, api_key};

pub(super) static KIND: Kind = Kind {
    name: "deepseek",
    aliases: &[],
    doc: "Asks a model of DeepSeek.",
    options: Record {
        name: "deepseek",
        fields: &[
            api_key("The key of the API, the environment's `DEEPSEEK_API_KEY` unless given."),
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
