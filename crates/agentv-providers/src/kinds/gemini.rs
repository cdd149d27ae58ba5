//! `gemini`: the models of Google.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, PRICE, TEMPERATURE, api_key};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Protocol, Vendor, build_at};
use crate::target::{SettingError, Settings};

pub(super) static KIND: Kind = Kind {
    name: "gemini",
    aliases: &["google", "google-gemini"],
    doc: "Calls a Google Gemini model.",
    options: Record {
        name: "gemini",
        fields: &[
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
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
            PRICE,
            HEADERS,
        ],
        required: &[],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: "\
- name: flash
  provider: gemini
  model: gemini-2.5-flash
  api_key: ${{ GEMINI_API_KEY }}
  base_url: https://gemini.example.com
  temperature: 0.2
  max_output_tokens: 500
  price: {input: 0.3, output: 2.5}
  headers: {X-Team: evals}
",
    build: make,
};

static VENDOR: Vendor = Vendor {
    name: "Gemini",
    adapter: AdapterKind::Gemini,
    protocol: Protocol::Generate,
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
