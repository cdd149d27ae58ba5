//! `xai`: the models of xAI.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "xai",
    aliases: &[],
    doc: "Calls an xAI Grok model.",
    options: options("xai", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `XAI_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("xai", "grok-4"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "xAI",
    AdapterKind::Xai,
    "https://api.x.ai/v1",
    &["XAI_API_KEY"],
    "xai",
);
