//! `gemini`: the models of Google.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::model::{BASE_URL, SHARED, api_key, example_parameters, fields};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Vendor, build_at};
use crate::target::{SettingError, Settings};
use crate::wire::{Dialect, Protocol};

pub(super) static KIND: Kind = Kind {
    name: "gemini",
    aliases: &["google", "google-gemini"],
    doc: "Calls a Google Gemini model.",
    options: Record {
        name: "gemini",
        fields: &FIELDS,
        required: &[],
        others: Others::Refuse,
    },
    shorthand: None,
};

static FIELDS: [Field; 3 + SHARED] = fields(
    &[
        api_key(
            "The API key (default: the environment variable `GEMINI_API_KEY` or \
                 `GOOGLE_API_KEY`).",
        ),
        Field {
            name: "model",
            shape: &FILLED,
            doc: "The model to call (default: `gemini-2.5-flash`).",
        },
        BASE_URL,
    ],
    &super::model::GENERATE,
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::VENDOR,
    example: concat!(
        "\
- name: flash
  provider: gemini
  model: gemini-2.5-flash
  api_key: ${{ GEMINI_API_KEY }}
  base_url: https://gemini.example.com
",
        example_parameters!(),
        "  seed: 7
  logprobs: 3
  thinking_budget: 1000
- name: extractor
  provider: gemini
  model: gemini-3-pro
  reasoning_effort: low
  json_schema: {type: object, properties: {city: {type: string}}}
- {name: any_json, provider: gemini, response_format: json_object}
"
    ),
    build: make,
};

static VENDOR: Vendor = Vendor {
    name: "Gemini",
    protocol: Protocol::Generate,
    dialect: Dialect::USUAL,
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    auth: Auth::Header("x-goog-api-key"),
    key_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyless: Keyless::Never,
    prices: "gemini",
};

fn make(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    let model = settings.text("model").unwrap_or("gemini-2.5-flash");
    build_at(&VENDOR, settings, VENDOR.base_url, model)
}
