//! `deepseek`: the models of DeepSeek.

use agentv_core::Limits;
use agentv_syntax::{Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use crate::model::{Vendor, build};

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
    "DeepSeek",
    AdapterKind::OpenAI,
    "https://api.deepseek.com/v1",
    &["DEEPSEEK_API_KEY"],
    "deepseek",
);
