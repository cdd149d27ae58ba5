//! `anthropic`: the models of Anthropic.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Auth, Keyless, Protocol, Vendor, build};
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

static VENDOR: Vendor = Vendor {
    name: "Anthropic",
    adapter: AdapterKind::Anthropic,
    protocol: Protocol::Messages,
    base_url: "https://api.anthropic.com/v1",
    auth: Auth::Header("x-api-key"),
    key_variables: &["ANTHROPIC_API_KEY"],
    keyless: Keyless::Never,
    prices: "anthropic",
};
