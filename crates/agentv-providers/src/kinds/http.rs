//! `http`: any endpoint that answers with JSON.

use agentv_core::Limits;
use agentv_syntax::shape::{ANY, FILLED};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use super::{Facts, ProviderKind};
use crate::target::shapes::HEADERS;

pub(super) static KIND: Kind = Kind {
    name: "http",
    aliases: &[],
    doc: "Sends a request to an HTTP endpoint and takes the answer from its response.",
    options: Record {
        name: "http",
        fields: &[
            Field {
                name: "url",
                shape: &FILLED,
                doc: "The URL of the endpoint. It can be a template, like `body`.",
            },
            Field {
                name: "method",
                shape: &METHOD,
                doc: "The HTTP method (default: `POST`).",
            },
            Field {
                name: "headers",
                shape: &HEADERS,
                doc: "The headers of the request.",
            },
            Field {
                name: "body",
                shape: &BODY,
                doc: "The body of the request (default: `{\"prompt\": …}`). It is a template with the variables `question`, `prompt` (guidelines and question), `guidelines`, `messages` and `eval_id`. An object is sent as JSON with its strings filled in. In a text that is JSON, values inside strings are escaped.",
            },
            Field {
                name: "response_path",
                shape: &FILLED,
                doc: "The path of the answer in the JSON response, such as `choices[0].message.content`. Without it, the response is read like the output of a command: it is the answer itself, or a JSON object with `text` or `output_messages`.",
            },
        ],
        required: &[&["url"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::API,
    facts: &Facts::API,
    example: "\
- name: service
  provider: http
  url: http://localhost/answer
  method: POST
  headers: {Authorization: 'Bearer ${{ TOKEN }}'}
  body: {question: '{{ question }}'}
  response_path: choices[0].message.content
",
    build: crate::http::build,
};

static METHOD: Shape = Shape {
    expected: "GET, POST, PUT, PATCH or DELETE",
    forms: &[Form::Text(Text::Reference(&[
        "GET", "POST", "PUT", "PATCH", "DELETE",
    ]))],
};

static BODY: Shape = Shape {
    expected: "a body (a string, or an object to send as JSON)",
    forms: &[Form::Text(Text::Any), Form::Map(&ANY)],
};
