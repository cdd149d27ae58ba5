//! `mock`: answers that are made up.

use agentv_core::Limits;
use agentv_syntax::shape::ANY;
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use super::{Facts, ProviderKind};
use crate::target::shapes::COUNT;

pub(crate) static KIND: Kind = Kind {
    name: "mock",
    aliases: &[],
    doc: "Answers with a fixed text, without calling anything.",
    options: Record {
        name: "mock",
        fields: &[
            Field {
                name: "response",
                shape: &RESPONSE,
                doc: "The answer to every case (default: `{\"answer\":\"Mock response\"}`).",
            },
            Field {
                name: "responses",
                shape: &RESPONSES,
                doc: "Answers to individual cases, by case id.",
            },
            Field {
                name: "delay_ms",
                shape: &COUNT,
                doc: "The delay before the answer, in milliseconds (default: 0).",
            },
            Field {
                name: "delay_min_ms",
                shape: &COUNT,
                doc: "The minimum of a random delay, in milliseconds (default: 0).",
            },
            Field {
                name: "delay_max_ms",
                shape: &COUNT,
                doc: "The maximum of a random delay, in milliseconds (default: the minimum).",
            },
        ],
        required: &[],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts {
        is_built_in: true,
        ..Facts::LOCAL
    },
    example: "\
- name: default
  provider: mock
  response: {answer: Mock response}
  responses: {greeting: Hello, other: {answer: 5}}
  delay_ms: 5
- name: slow
  provider: mock
  response: Hello
  delay_min_ms: 100
  delay_max_ms: ${{ LONGEST_DELAY }}
",
    build: crate::mock::build,
};

static RESPONSE: Shape = Shape {
    expected: "an answer (a string, or an object to return as JSON)",
    forms: &[Form::Text(Text::Any), Form::Map(&ANY)],
};

static RESPONSES: Shape = Shape {
    expected: "an object that maps case ids to answers",
    forms: &[Form::Map(&RESPONSE)],
};
