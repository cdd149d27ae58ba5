//! `anthropic`: the models of Anthropic.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};

use super::model::{BASE_URL, MODEL, SHARED, api_key, example_parameters, fields, options};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Vendor, build};
use crate::wire::{Dialect, Protocol};

pub(super) static KIND: Kind = Kind {
    name: "anthropic",
    aliases: &[],
    doc: "Calls an Anthropic model.",
    options: options("anthropic", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 3 + SHARED] = fields(
    &[
        api_key("The API key (default: the environment variable `ANTHROPIC_API_KEY`)."),
        MODEL,
        BASE_URL,
    ],
    &super::model::MESSAGES,
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::VENDOR,
    example: concat!(
        "\
- name: claude
  provider: anthropic
  model: claude-sonnet-4-5
  api_key: ${{ ANTHROPIC_API_KEY }}
  base_url: https://anthropic.example.com/v1
",
        example_parameters!(),
        "- name: thinker
  provider: anthropic
  model: claude-sonnet-4-5
  thinking_budget: 1000
  max_output_tokens: 2000
- name: extractor
  provider: anthropic
  model: claude-opus-4-5
  reasoning_effort: low
  json_schema: {type: object, properties: {city: {type: string}}}
- {name: text, provider: anthropic, model: claude-opus-4-5, response_format: text}
"
    ),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor {
    name: "Anthropic",
    protocol: Protocol::Messages,
    dialect: Dialect::USUAL,
    base_url: "https://api.anthropic.com/v1",
    auth: Auth::Header("x-api-key"),
    key_variables: &["ANTHROPIC_API_KEY"],
    keyless: Keyless::Never,
    prices: "anthropic",
};
