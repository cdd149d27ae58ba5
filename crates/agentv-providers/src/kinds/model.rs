//! The options that the APIs of model vendors share.

use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Form, Others, Record, Shape};

use crate::target::shapes::{AMOUNT, HEADERS as HEADER_MAP, POSITIVE};

/// The key of the API; `doc` names the environment variable that can replace it.
pub(super) const fn api_key(doc: &'static str) -> Field {
    Field {
        name: "api_key",
        shape: &FILLED,
        doc,
    }
}

/// The options of a vendor whose API has nothing special; `key` is the doc of its key.
pub(super) const fn usual_fields(key: &'static str) -> [Field; 7] {
    [
        api_key(key),
        MODEL,
        BASE_URL,
        TEMPERATURE,
        MAX_OUTPUT_TOKENS,
        PRICE,
        HEADERS,
    ]
}

/// The example of a vendor whose API has nothing special.
macro_rules! usual_example {
    ($provider:literal, $model:literal) => {
        concat!(
            "- name: assistant\n  provider: ",
            $provider,
            "\n  model: ",
            $model,
            "\n  api_key: ${{ API_KEY }}",
            "\n  base_url: http://localhost:8080/v1",
            "\n  temperature: 0.2",
            "\n  max_output_tokens: 500",
            "\n  price: {input: 0.1, output: 0.5, cached_input: 0.01}",
            "\n  headers: {X-Team: evals}\n",
        )
    };
}

pub(super) use usual_example;

/// The options of a provider that requires a model.
pub(super) const fn options(name: &'static str, fields: &'static [Field]) -> Record {
    Record {
        name,
        fields,
        required: &[&["model"]],
        others: Others::Refuse,
    }
}

pub(super) const MODEL: Field = Field {
    name: "model",
    shape: &FILLED,
    doc: "The model to call, as the vendor names it.",
};

pub(super) const BASE_URL: Field = Field {
    name: "base_url",
    shape: &FILLED,
    doc: "The base URL of the API (default: the vendor's).",
};

pub(super) const TEMPERATURE: Field = Field {
    name: "temperature",
    shape: &AMOUNT,
    doc: "The sampling temperature (default: the vendor's).",
};

pub(super) const MAX_OUTPUT_TOKENS: Field = Field {
    name: "max_output_tokens",
    shape: &POSITIVE,
    doc: "The maximum number of tokens in the answer (default: the vendor's).",
};

pub(super) const HEADERS: Field = Field {
    name: "headers",
    shape: &HEADER_MAP,
    doc: "Additional headers of every request.",
};

pub(super) const PRICE: Field = Field {
    name: "price",
    shape: &PRICE_SHAPE,
    doc: "The price per million tokens, in US dollars: `input`, `output`, `cached_input` (default: the price in the built-in table).",
};

static PRICE_SHAPE: Shape = Shape {
    expected: "an object with `input` and `output`",
    forms: &[Form::Record(&Record {
        name: "price",
        fields: &[
            Field {
                name: "input",
                shape: &AMOUNT,
                doc: "The price of a million input tokens, in US dollars.",
            },
            Field {
                name: "output",
                shape: &AMOUNT,
                doc: "The price of a million output tokens, in US dollars.",
            },
            Field {
                name: "cached_input",
                shape: &AMOUNT,
                doc: "The price of a million input tokens from the vendor's cache, in US dollars (default: `input`).",
            },
        ],
        required: &[&["input"], &["output"]],
        others: Others::Refuse,
    })],
};
