//! `openai`: the models of OpenAI, and every server that speaks its protocol.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};
use genai::adapter::AdapterKind;

use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, PRICE, TEMPERATURE, api_key};
use super::{Facts, ProviderKind};
use crate::model::{Keyless, Protocol, Vendor, build};
use crate::target::{SettingError, Settings};

pub(super) static KIND: Kind = Kind {
    name: "openai",
    aliases: &[],
    doc: "Calls an OpenAI model, or a model on any server with an OpenAI-compatible API.",
    options: Record {
        name: "openai",
        fields: &[
            api_key("The API key (default: the environment variable `OPENAI_API_KEY`)."),
            MODEL,
            BASE_URL,
            Field {
                name: "api",
                shape: &API,
                doc: "The OpenAI API to use, `chat` or `responses` (default: `chat`).",
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
- name: gpt
  provider: openai
  model: gpt-5
  api_key: ${{ OPENAI_API_KEY }}
  base_url: http://localhost:8080/v1
  api: responses
  temperature: 0.2
  max_output_tokens: 500
  price: {input: 1.25, output: 10, cached_input: 0.125}
  headers: {X-Team: evals}
",
    build: make,
};

static API: Shape = Shape {
    expected: "chat or responses",
    forms: &[Form::Text(Text::Reference(&["chat", "responses"]))],
};

static CHAT: Vendor = Vendor {
    keyless: Keyless::AtOwnAddress,
    ..Vendor::like_openai(
        "OpenAI",
        AdapterKind::OpenAI,
        "https://api.openai.com/v1",
        &["OPENAI_API_KEY"],
        "openai",
    )
};

static RESPONSES: Vendor = Vendor {
    adapter: AdapterKind::OpenAIResp,
    protocol: Protocol::Responses,
    ..CHAT
};

fn make(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    match settings.text("api") {
        None | Some("chat") => build(&CHAT, settings),
        Some("responses") => build(&RESPONSES, settings),
        Some(_) => Err(SettingError::of("api", "expected `chat` or `responses`")),
    }
}
