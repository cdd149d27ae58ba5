//! `azure`: OpenAI's models on Azure.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::ProviderKind;
use super::model::{HEADERS, MAX_OUTPUT_TOKENS, TEMPERATURE, api_key};

pub(super) static KIND: Kind = Kind {
    name: "azure",
    aliases: &["azure-openai"],
    doc: "Asks a model that Azure OpenAI hosts.",
    options: Record {
        name: "azure",
        fields: &[
            Field {
                name: "endpoint",
                shape: &FILLED,
                doc: "The address of the resource, such as `https://my-resource.openai.azure.com`.",
            },
            Field {
                name: "resource",
                shape: &FILLED,
                doc: "The name of the resource, in place of `endpoint`.",
            },
            api_key(
                "The key of the resource, the environment's `AZURE_OPENAI_API_KEY` unless given.",
            ),
            Field {
                name: "model",
                shape: &FILLED,
                doc: "The deployment to ask.",
            },
            Field {
                name: "deployment",
                shape: &FILLED,
                doc: "The deployment to ask, another name of `model`.",
            },
            Field {
                name: "version",
                shape: &FILLED,
                doc: "The version of the API, such as `2024-10-21`.",
            },
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
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
    build: super::unavailable,
};
