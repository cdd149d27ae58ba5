//! `azure`: OpenAI's models on Azure.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};
use genai::adapter::AdapterKind;

use super::model::{HEADERS, MAX_OUTPUT_TOKENS, PRICE, TEMPERATURE, api_key};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Vendor, azure};

pub(super) static KIND: Kind = Kind {
    name: "azure",
    aliases: &["azure-openai"],
    doc: "Calls a model hosted by Azure OpenAI.",
    options: Record {
        name: "azure",
        fields: &[
            Field {
                name: "endpoint",
                shape: &FILLED,
                doc: "The URL of the resource, such as `https://my-resource.openai.azure.com`.",
            },
            Field {
                name: "resource",
                shape: &FILLED,
                doc: "The name of the resource, instead of `endpoint`.",
            },
            api_key(
                "The key of the resource (default: the environment variable \
                 `AZURE_OPENAI_API_KEY`).",
            ),
            Field {
                name: "model",
                shape: &FILLED,
                doc: "The deployment to call. If `deployment` is also set, the model that it serves, which determines the price.",
            },
            Field {
                name: "deployment",
                shape: &FILLED,
                doc: "The deployment to call (default: `model`).",
            },
            Field {
                name: "version",
                shape: &FILLED,
                doc: "The version of the API, or `v1` for the API without dated versions (default: `2024-10-21`).",
            },
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
            PRICE,
            HEADERS,
        ],
        required: &[&["endpoint", "resource"], &["model", "deployment"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: "\
- name: azure
  provider: azure
  endpoint: https://my-resource.openai.azure.com
  api_key: ${{ AZURE_OPENAI_API_KEY }}
  model: gpt-5
  version: 2024-10-21
  temperature: 0
  max_output_tokens: 500
  price: {input: 1.25, output: 10}
  headers: {X-Team: evals}
- {name: azure_by_name, provider: azure, resource: my-resource, deployment: gpt-5}
",
    build: |settings| azure(&VENDOR, settings),
};

static VENDOR: Vendor = Vendor {
    auth: Auth::Header("api-key"),
    ..Vendor::like_openai(
        "Azure",
        AdapterKind::OpenAI,
        "",
        &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
        "azure",
    )
};
