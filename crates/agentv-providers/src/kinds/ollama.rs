//! `ollama`: models on a machine of one's own.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Keyless, Protocol, Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "ollama",
    aliases: &[],
    doc: "Calls a model served by Ollama.",
    options: options("ollama", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] = usual_fields("The API key, if the server requires one.");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("ollama", "llama3.3"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor {
    name: "Ollama",
    adapter: AdapterKind::Ollama,
    protocol: Protocol::Ollama,
    base_url: "http://localhost:11434",
    auth: Auth::Bearer,
    key_variables: &[],
    keyless: Keyless::Always,
    prices: "ollama",
};
