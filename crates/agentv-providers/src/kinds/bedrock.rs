//! `bedrock`: the models that Amazon Bedrock hosts.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind};

use super::model::{BASE_URL, MODEL, SHARED, api_key, example_parameters, fields, options};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Vendor, build_at};
use crate::target::{SettingError, Settings};
use crate::wire::{Dialect, Protocol};

pub(super) static KIND: Kind = Kind {
    name: "bedrock",
    aliases: &[],
    doc: "Calls a model hosted by Amazon Bedrock.",
    options: options("bedrock", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 4 + SHARED] = fields(
    &[
        api_key("The API key (default: the environment variable `AWS_BEARER_TOKEN_BEDROCK`)."),
        Field {
            name: "region",
            shape: &FILLED,
            doc: "The AWS region (default: the environment variable `AWS_REGION`).",
        },
        MODEL,
        BASE_URL,
    ],
    &super::model::CONVERSE,
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::VENDOR,
    example: concat!(
        "\
- name: nova
  provider: bedrock
  model: amazon.nova-pro-v1:0
  region: eu-central-1
  api_key: ${{ AWS_BEARER_TOKEN_BEDROCK }}
  base_url: https://bedrock.example.com
",
        example_parameters!(),
        "- name: extractor
  provider: bedrock
  model: anthropic.claude-opus-4-5-20251101-v1:0
  reasoning_effort: low
  json_schema: {type: object, properties: {city: {type: string}}}
- {name: text, provider: bedrock, model: amazon.nova-pro-v1:0, response_format: text}
"
    ),
    build: make,
};

static VENDOR: Vendor = Vendor {
    name: "Bedrock",
    protocol: Protocol::Converse,
    dialect: Dialect::USUAL,
    base_url: "",
    auth: Auth::Bearer,
    key_variables: &["AWS_BEARER_TOKEN_BEDROCK", "BEDROCK_API_KEY"],
    keyless: Keyless::Never,
    prices: "bedrock",
};

fn make(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    let region = settings.text("region").map(str::to_owned);
    let variables = ["AWS_REGION", "AWS_DEFAULT_REGION"];
    let region = region.or_else(|| variables.iter().find_map(|name| settings.variable(name)));
    let region = region.as_deref().unwrap_or("us-east-1");
    let model = settings.text("model");
    let model = model.ok_or_else(|| SettingError::of("model", "missing"))?;
    let usual_url = format!("https://bedrock-runtime.{region}.amazonaws.com");
    build_at(&VENDOR, settings, &usual_url, model)
}
