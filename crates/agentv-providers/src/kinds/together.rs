//! `together`: models that Together AI hosts.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "together",
    aliases: &[],
    doc: "Asks a model that Together AI hosts.",
    options: Record {
        name: "together",
        fields: &[
            api_key("The key of the API, the environment's `TOGETHER_API_KEY` unless given."),
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
    "Together AI",
    AdapterKind::Together,
    "https://api.together.xyz/v1",
    &["TOGETHER_API_KEY"],
    "together",
);
