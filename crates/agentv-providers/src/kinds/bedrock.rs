//! `bedrock`: the models that Amazon Bedrock hosts.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, TEMPERATURE, api_key};

pub(super) static KIND: Kind = Kind {
    name: "bedrock",
    aliases: &[],
    doc: "Asks a model that Amazon Bedrock hosts.",
    options: Record {
        name: "bedrock",
        fields: &[
            api_key(
                "The key of the API, the environment's `AWS_BEARER_TOKEN_BEDROCK` unless given.",
            ),
            Field {
                name: "region",
                shape: &FILLED,
                doc: "The AWS region, the environment's `AWS_REGION` unless given.",
            },
            MODEL,
            BASE_URL,
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
            HEADERS,
        ],
        required: &[&["model"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    build: super::unavailable,
};
