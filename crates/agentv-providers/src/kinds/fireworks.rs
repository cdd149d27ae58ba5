//! `fireworks`: models that Fireworks AI hosts.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "fireworks",
    aliases: &[],
    doc: "Calls a model hosted by Fireworks AI.",
    options: options("fireworks", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `FIREWORKS_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("fireworks", "gpt-oss-20b"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "Fireworks AI",
    AdapterKind::Fireworks,
    "https://api.fireworks.ai/inference/v1",
    &["FIREWORKS_API_KEY"],
    "fireworks",
);
