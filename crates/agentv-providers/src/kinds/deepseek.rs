//! `deepseek`: the models of DeepSeek.

use agentv_core::Limits;
use agentv_syntax::{Field, Kind};
use genai::adapter::AdapterKind;

use super::model::{options, usual_example, usual_fields};
use super::{Facts, ProviderKind};
use crate::model::{Vendor, build};

pub(super) static KIND: Kind = Kind {
    name: "deepseek",
    aliases: &[],
    doc: "Calls a DeepSeek model.",
    options: options("deepseek", &FIELDS),
    shorthand: None,
};

static FIELDS: [Field; 7] =
    usual_fields("The API key (default: the environment variable `DEEPSEEK_API_KEY`).");

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: usual_example!("deepseek", "deepseek-chat"),
    build: |settings| build(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor::like_openai(
    "DeepSeek",
    AdapterKind::OpenAI,
    "https://api.deepseek.com/v1",
    &["DEEPSEEK_API_KEY"],
    "deepseek",
);
