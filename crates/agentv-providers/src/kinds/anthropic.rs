//! `anthropic`: the models of Anthropic.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Protocol, Vendor, build};
use crate::target::shapes::COUNT;

pub(super) static KIND: Kind = Kind {
    name: "anthropic",
    aliases: &[],
    doc: "Calls an Anthropic model.",
    options: Record {
        name: "anthropic",
        fields: &[
            api_key("The API key (default: the environment variable `ANTHROPIC_API_KEY`)."),
            MODEL,
            BASE_URL,
            Field {
                name: "thinking_budget",
                shape: &COUNT,
                doc: "The maximum number of tokens for thinking before the answer (default: no thinking).",
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
    facts: &Facts::API,
    example: "\
- name: claude
  provider: anthropic
  model: claude-sonnet-4-5
  api_key: ${{ ANTHROPIC_API_KEY }}
  base_url: https://anthropic.example.com/v1
  thinking_budget: 1000
  temperature: 1
  max_output_tokens: 2000
  price: {input: 3, output: 15}
  headers: {X-Team: evals}
",
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
