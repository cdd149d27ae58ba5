//! `openai`: the models of OpenAI, and every server that speaks its protocol.

use agentv_core::Limits;
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, MODEL, TEMPERATURE, api_key};

pub(super) static KIND: Kind = Kind {
    name: "openai",
    aliases: &[],
    doc: "Asks a model of OpenAI, or of any server that speaks its protocol.",
    options: Record {
        name: "openai",
        fields: &[
            api_key("The key of the API, the environment's `OPENAI_API_KEY` unless given."),
            MODEL,
            BASE_URL,
            Field {
                name: "api",
                shape: &API,
                doc: "Which of OpenAI's protocols to speak: `chat`, which is the default, or `responses`.",
            },
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

static API: Shape = Shape {
    expected: "chat or responses",
    forms: &[Form::Text(Text::Reference(&["chat", "responses"]))],
};
