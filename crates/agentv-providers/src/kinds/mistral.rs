//! `mistral`: the models of Mistral.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "mistral",
    aliases: &[],
    doc: "Asks a model of Mistral.",
    options: Record {
        name: "mistral",
        fields: &[
            api_key("The key of the API, the environment's `MISTRAL_API_KEY` unless given."),
            MODEL,
            BASE_URL,
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
            PRICE,
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
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "Mistral",
    AdapterKind::Mistral,
    "https://api.mistral.ai/v1",
    &["MISTRAL_API_KEY"],
    "mistral",
);
