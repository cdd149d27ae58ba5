//! `mistral`: the models of Mistral.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "mistral",
    aliases: &[],
    doc: "Calls a Mistral model.",
    options: options("mistral", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `MISTRAL_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("mistral", "mistral-large-latest"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "Mistral",
    AdapterKind::Mistral,
    "https://api.mistral.ai/v1",
    &["MISTRAL_API_KEY"],
    "mistral",
);
