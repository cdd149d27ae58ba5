//! `bedrock`: the models that Amazon Bedrock hosts.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Protocol, Vendor, build_at};
use crate::target::{SettingError, Settings};

pub(super) static KIND: Kind = Kind {
    name: "bedrock",
    aliases: &[],
    doc: "Calls a model hosted by Amazon Bedrock.",
    options: Record {
        name: "bedrock",
        fields: &[
            api_key("The API key (default: the environment variable `AWS_BEARER_TOKEN_BEDROCK`)."),
            Field {
                name: "region",
                shape: &FILLED,
                doc: "The AWS region (default: the environment variable `AWS_REGION`).",
            },
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
    facts: &Facts::API,
    example: "\
- name: nova
  provider: bedrock
  model: amazon.nova-pro-v1:0
  region: eu-central-1
  api_key: ${{ AWS_BEARER_TOKEN_BEDROCK }}
  base_url: https://bedrock.example.com
  temperature: 0.2
  max_output_tokens: 500
  price: {input: 0.8, output: 3.2}
  headers: {X-Team: evals}
",
    build: make,
};

static VENDOR: Vendor = Vendor {
    name: "Bedrock",
    adapter: AdapterKind::BedrockApi,
    protocol: Protocol::Converse,
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
