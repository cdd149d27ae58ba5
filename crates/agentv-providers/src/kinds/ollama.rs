//! `ollama`: models on a machine of one's own.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Auth, Keyless, Protocol, Vendor, build};

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
    name: "Ollama",
    adapter: AdapterKind::Ollama,
    protocol: Protocol::Ollama,
    base_url: "http://localhost:11434",
    auth: Auth::Bearer,
    key_variables: &[],
    keyless: Keyless::Always,
    prices: "ollama",
};
