//! `openrouter`: models of many vendors.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "openrouter",
    aliases: &[],
    doc: "Calls a model through OpenRouter.",
    options: options("openrouter", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `OPENROUTER_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("openrouter", "openai/gpt-5"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "OpenRouter",
    AdapterKind::OpenRouter,
    "https://openrouter.ai/api/v1",
    &["OPENROUTER_API_KEY"],
    "openrouter",
);
