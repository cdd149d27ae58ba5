//! `groq`: models that Groq hosts.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "groq",
    aliases: &[],
    doc: "Calls a model hosted by Groq.",
    options: options("groq", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `GROQ_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("groq", "llama-3.3-70b-versatile"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "Groq",
    AdapterKind::Groq,
    "https://api.groq.com/openai/v1",
    &["GROQ_API_KEY"],
    "groq",
);
