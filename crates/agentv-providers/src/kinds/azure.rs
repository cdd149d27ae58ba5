//! `azure`: OpenAI's models on Azure.

use std::sync::Arc;

use agentv_core::{Limits, Provider};
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::model::{API, SHARED, api_key, example_parameters, fields};
use super::{Facts, ProviderKind};
use crate::model::{Auth, Vendor, azure};
use crate::target::{SettingError, Settings};
use crate::wire::Protocol;

pub(super) static KIND: Kind = Kind {
    name: "azure",
    aliases: &["azure-openai"],
    doc: "Calls a model hosted by Azure OpenAI.",
    options: Record {
        name: "azure",
        fields: &FIELDS,
        required: &[&["model", "deployment"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

static FIELDS: [Field; 7 + SHARED] = fields(
    &[
        Field {
            name: "endpoint",
            shape: &FILLED,
            doc: "The URL of the resource, such as `https://my-resource.openai.azure.com`, or the target URI that Azure's portal shows (default: the environment variable `AZURE_OPENAI_ENDPOINT`).",
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
            doc: "The deployment to call. If you set `deployment`, this is the model that the deployment serves; it determines the price.",
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
        API,
    ],
    &super::model::CHAT,
);

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts {
        model_options: &["model", "deployment"],
        ..Facts::VENDOR
    },
    example: concat!(
        "\
- name: azure
  provider: azure
  endpoint: https://my-resource.openai.azure.com
  api_key: ${{ AZURE_OPENAI_API_KEY }}
  model: gpt-5
  version: 2024-10-21
",
        example_parameters!(),
        "  seed: 7
  reasoning_effort: low
  logprobs: 3
- name: azure_by_name
  provider: azure
  resource: my-resource
  deployment: gpt-5
  json_schema: {type: object, properties: {city: {type: string}}}
- {name: any_json, provider: azure, resource: my-resource, model: gpt-5, response_format: json_object}
- {name: responses, provider: azure, resource: my-resource, model: gpt-5, api: responses}
"
    ),
    build: make,
};

fn make(settings: &Settings) -> Result<Arc<dyn Provider>, SettingError> {
    match settings.text("api") {
        None | Some("chat") => azure(&CHAT, settings),
        Some("responses") => azure(&RESPONSES, settings),
        Some(_) => Err(SettingError::of("api", "expected `chat` or `responses`")),
    }
}

static RESPONSES: Vendor = Vendor {
    protocol: Protocol::Responses,
    ..CHAT
};

static CHAT: Vendor = Vendor {
    auth: Auth::Header("api-key"),
    ..Vendor::like_openai(
        "Azure",
        "",
        &["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
        "azure",
    )
};
