//! `openai`: the models of OpenAI, and every server that speaks its protocol.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::{Field, Kind};

use super::model::{API, BASE_URL, MODEL, SHARED, api_key, fields, options, usual_example};
use super::{Facts, ProviderKind};
use crate::model::{Keyless, Vendor, build};
use crate::target::{SettingError, Settings};
use crate::wire::Protocol;

pub(super) static KIND: Kind = Kind {
    name: "openai",
    aliases: &[],
    doc: "Calls an OpenAI model, or a model on any server with an OpenAI-compatible API.",
    options: options("openai", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 4 + SHARED] = fields(
    &[
        api_key("The API key (default: the environment variable `OPENAI_API_KEY`)."),
        MODEL,
        BASE_URL,
        API,
    ],
    &super::model::CHAT,
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::VENDOR,
    example: concat!(
        usual_example!("openai", "gpt-5"),
        "- {name: responses, provider: openai, model: gpt-5, api: responses}\n"
    ),
    build: make,
};

static CHAT: Vendor = Vendor {
    keyless: Keyless::AtOwnAddress,
    ..Vendor::like_openai(
        "OpenAI",
        "https://api.openai.com/v1",
        &["OPENAI_API_KEY"],
        "openai",
    )
};

static RESPONSES: Vendor = Vendor {
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
