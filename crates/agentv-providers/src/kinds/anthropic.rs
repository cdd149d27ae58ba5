//! `anthropic`: the models of Anthropic.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind, Others, Record};

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, TEMPERATURE, api_key};
use crate::setting::COUNT;

pub(super) static KIND: Kind = Kind {
    name: "anthropic",
    aliases: &[],
    doc: "Asks a model of Anthropic.",
    options: Record {
        name: "anthropic",
        fields: &[
            api_key("The key of the API, the environment's `ANTHROPIC_API_KEY` unless given."),
            MODEL,
            BASE_URL,
            Field {
                name: "thinking_budget",
                shape: &COUNT,
                doc: "The most tokens that the model may think before it answers, no thinking unless given.",
            },
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
