//! `openrouter`: models of many vendors.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "openrouter",
    aliases: &[],
    doc: "Asks a model through OpenRouter.",
    options: Record {
        name: "openrouter",
        fields: &[
            api_key("The key of the API, the environment's `OPENROUTER_API_KEY` unless given."),
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
    "OpenRouter",
    AdapterKind::OpenRouter,
    "https://openrouter.ai/api/v1",
    &["OPENROUTER_API_KEY"],
    "openrouter",
);
