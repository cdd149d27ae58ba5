//! `fireworks`: models that Fireworks AI hosts.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "fireworks",
    aliases: &[],
    doc: "Asks a model that Fireworks AI hosts.",
    options: Record {
        name: "fireworks",
        fields: &[
            api_key("The key of the API, the environment's `FIREWORKS_API_KEY` unless given."),
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
    "Fireworks AI",
    AdapterKind::Fireworks,
    "https://api.fireworks.ai/inference/v1",
    &["FIREWORKS_API_KEY"],
    "fireworks",
);
