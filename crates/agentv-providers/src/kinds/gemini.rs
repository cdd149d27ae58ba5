//! `gemini`: the models of Google.

use agentv_core::Limits;
use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Kind, Others, Record};

use super::ProviderKind;
use super::model::{BASE_URL, HEADERS, MAX_OUTPUT_TOKENS, TEMPERATURE, api_key};

pub(super) static KIND: Kind = Kind {
    name: "gemini",
    aliases: &["google", "google-gemini"],
    doc: "Asks a Gemini model of Google.",
    options: Record {
        name: "gemini",
        fields: &[
            api_key("The key of the API, the environment's `GEMINI_API_KEY` unless given."),
            Field {
                name: "model",
                shape: &FILLED,
                doc: "The model to ask, `gemini-2.5-flash` unless given.",
            },
            BASE_URL,
            TEMPERATURE,
            MAX_OUTPUT_TOKENS,
            HEADERS,
        ],
        required: &[],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    build: super::unavailable,
};
