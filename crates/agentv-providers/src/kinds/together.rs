//! `together`: models that Together AI hosts.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "together",
    aliases: &[],
    doc: "Calls a model hosted by Together AI.",
    options: options("together", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `TOGETHER_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("together", "openai/gpt-oss-20b"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "Together AI",
    AdapterKind::Together,
    "https://api.together.xyz/v1",
    &["TOGETHER_API_KEY"],
    "together",
);
