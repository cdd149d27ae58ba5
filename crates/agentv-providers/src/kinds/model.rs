//! The options that the APIs of model vendors share.

use agentv_syntax::shape::{ANY, FILLED, OBJECT, TEXT};
use agentv_syntax::{Field, Form, Others, Record, Shape, Text};

use crate::target::shapes::{
    AMOUNT, BOOL, COUNT, FOLDER, HEADERS as HEADER_MAP, POSITIVE, SECONDS, VARIABLES,
};

/// The key of the API; `doc` names the environment variable that can replace it.
pub(super) const fn api_key(doc: &'static str) -> Field {
    Field {
        name: "api_key",
        shape: &FILLED,
        doc,
    }
}

/// The choice between OpenAI's two protocols.
pub(super) const API: Field = Field {
    name: "api",
    shape: &API_NAME,
    doc: "The OpenAI API to use, `chat` or `responses` (default: `chat`).",
};

static API_NAME: Shape = Shape {
    expected: "chat or responses",
    forms: &[Form::Text(Text::Reference(&["chat", "responses"]))],
};

/// The number of options that every model has.
pub(super) const SHARED: usize = CHAT.len();

/// Returns a vendor's own options, and after them those that every model has.
pub(super) const fn fields<const N: usize>(own: &[Field], shared: &[Field; SHARED]) -> [Field; N] {
    assert!(own.len() + SHARED == N, "the number of options is wrong");
    let mut all = [MODEL; N];
    let mut place = 0;
    while place < N {
        all[place] = if place < own.len() {
            own[place]
        } else {
            shared[place - own.len()]
        };
        place += 1;
    }
    all
}

/// The options of a provider that requires a model.
pub(super) const fn options(name: &'static str, fields: &'static [Field]) -> Record {
    Record {
        name,
        fields,
        required: &[&["model"]],
        others: Others::Refuse,
    }
}

/// The parameters of an example for a protocol that has them all.
macro_rules! example_parameters {
    () => {
        "  system: You are an assistant of the shop.
  temperature: 0.2
  top_p: 0.9
  max_output_tokens: 500
  stop: [END]
  tools:
    - name: find_order
      description: Finds an order by its number.
      parameters: {type: object, properties: {number: {type: string}}, required: [number]}
    - mcp: {command: [python3, shop_server.py], tools: [refund]}
  tool_choice: auto
  max_steps: 5
  params: {user: evals}
  stream: true
  idle_seconds: 60
  price: {input: 1.25, output: 10, cached_input: 0.125}
  headers: {X-Team: evals}
"
    };
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
            "\n  base_url: http://localhost:8080/v1\n",
            super::model::example_parameters!(),
            "  seed: 7\n  reasoning_effort: low\n  logprobs: 3\n",
            "- name: extractor\n  provider: ",
            $provider,
            "\n  model: ",
            $model,
            "\n  json_schema: {type: object, properties: {city: {type: string}}}\n",
            "- {name: any_json, provider: ",
            $provider,
            ", model: ",
            $model,
            ", response_format: json_object}\n",
        )
    };
}

/// Declares the provider of a vendor that speaks OpenAI's chat protocol and has nothing special.
macro_rules! chat_vendor {
    (
        name: $name:literal,
        aliases: $aliases:expr,
        doc: $doc:literal,
        key: $key:literal,
        model: $model:literal,
        vendor: $vendor:expr,
    ) => {
        pub(super) static KIND: agentv_syntax::Kind = agentv_syntax::Kind {
            name: $name,
            aliases: $aliases,
            doc: $doc,
            options: super::model::options($name, &FIELDS),
            shorthand: None,
        };

        static FIELDS: [agentv_syntax::Field; 3 + super::model::SHARED] = super::model::fields(
            &[
                super::model::api_key($key),
                super::model::MODEL,
                super::model::BASE_URL,
            ],
            &super::model::CHAT,
        );

        pub(super) static PROVIDER: super::ProviderKind = super::ProviderKind {
            kind: &KIND,
            limits: &agentv_core::Limits::API,
            facts: &super::Facts::VENDOR,
            example: super::model::usual_example!($name, $model),
            build: |settings| crate::model::build(&VENDOR, settings),
        };

        static VENDOR: crate::model::Vendor = $vendor;
    };
}

pub(super) use {chat_vendor, example_parameters, usual_example};

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

const fn field(name: &'static str, shape: &'static Shape, doc: &'static str) -> Field {
    Field { name, shape, doc }
}

/// Declares the options that every model has. The last ones are those that differ by protocol.
macro_rules! shared {
    ($seed:expr, $effort:expr, $budget:expr, $format:expr, $schema:expr, $logprobs:expr, $stop:expr) => {
        [
            field(
                "system",
                &TEXT,
                "A system prompt in front of every case (default: none).",
            ),
            field(
                "temperature",
                &AMOUNT,
                "The sampling temperature (default: the vendor's).",
            ),
            field(
                "top_p",
                &AMOUNT,
                "The share of the most likely tokens to sample from (default: the vendor's).",
            ),
            field(
                "max_output_tokens",
                &POSITIVE,
                "The maximum number of tokens in the answer (default: the vendor's).",
            ),
            $stop,
            $seed,
            $effort,
            $budget,
            $format,
            $schema,
            $logprobs,
            field("tools", &TOOLS, "The functions that the model may call."),
            field(
                "tool_choice",
                &FILLED,
                "The choice of functions that the model may call: `auto`, `none`, `required`, or the name of one (default: the vendor's).",
            ),
            field(
                "max_steps",
                &POSITIVE,
                "The maximum number of requests per trial, if tools have results (default: 10).",
            ),
            field(
                "params",
                &OBJECT,
                "Further fields of the request, sent unchanged. They replace the fields that other options set.",
            ),
            field(
                "stream",
                &BOOL,
                "False to request the whole answer at once. If the answer is streamed, the record has the time to the first token (default: true).",
            ),
            field(
                "idle_seconds",
                &SECONDS,
                "The time without data after which a stream fails, in seconds (default: 120).",
            ),
            PRICE,
            field("headers", &HEADER_MAP, "Additional headers of every request."),
        ]
    };
}

/// An option that a protocol lacks. It is known, so that it can be refused in words.
macro_rules! lacking {
    ($name:literal, $protocol:literal) => {
        Field {
            name: $name,
            shape: &ANY,
            doc: concat!(
                "Refused: the ",
                $protocol,
                " protocol has no such parameter."
            ),
        }
    };
}

const STOP: Field = field(
    "stop",
    &STOP_SHAPE,
    "The texts at which the answer ends (default: none).",
);
const SEED: Field = field("seed", &COUNT, "The seed of the sampling (default: none).");
const EFFORT: Field = field(
    "reasoning_effort",
    &FILLED,
    "The effort of the model's reasoning, in the vendor's words, such as `low` (default: the vendor's).",
);
const BUDGET: Field = field(
    "thinking_budget",
    &COUNT,
    "The maximum number of tokens for thinking before the answer (default: the vendor's).",
);
const FORMAT: Field = field(
    "response_format",
    &FORMAT_SHAPE,
    "The format of the answer: `text`, `json_object`, or an object with `type` and `json_schema` (default: text).",
);
const SCHEMA: Field = field(
    "json_schema",
    &OBJECT,
    "The JSON Schema of the answer, or an object with `schema`, `name` and `strict`.",
);
const LOGPROBS: Field = field(
    "logprobs",
    &LOGPROBS_SHAPE,
    "True to record the probabilities of tokens, or the number of alternatives for each (default: false).",
);

/// The shared options of OpenAI's chat protocol.
pub(super) const CHAT: [Field; 19] = shared!(
    SEED,
    EFFORT,
    lacking!("thinking_budget", "OpenAI chat"),
    FORMAT,
    SCHEMA,
    LOGPROBS,
    STOP
);

/// The shared options of Anthropic's messages.
pub(super) const MESSAGES: [Field; SHARED] = shared!(
    lacking!("seed", "Anthropic messages"),
    EFFORT,
    BUDGET,
    FORMAT,
    SCHEMA,
    lacking!("logprobs", "Anthropic messages"),
    STOP
);

/// The shared options of Google's `generateContent`.
pub(super) const GENERATE: [Field; SHARED] =
    shared!(SEED, EFFORT, BUDGET, FORMAT, SCHEMA, LOGPROBS, STOP);

/// The shared options of Amazon's `converse`.
pub(super) const CONVERSE: [Field; SHARED] = shared!(
    lacking!("seed", "Bedrock Converse"),
    EFFORT,
    lacking!("thinking_budget", "Bedrock Converse"),
    FORMAT,
    SCHEMA,
    lacking!("logprobs", "Bedrock Converse"),
    STOP
);

static STOP_SHAPE: Shape = Shape {
    expected: "a string or an array of strings",
    forms: &[
        Form::Text(Text::Any),
        Form::List {
            items: &TEXT,
            at_least: 1,
        },
    ],
};

static FORMAT_SHAPE: Shape = Shape {
    expected: "`text`, `json_object`, or an object with `type`",
    forms: &[
        Form::Text(Text::Reference(&["text", "json", "json_object"])),
        Form::Map(&ANY),
    ],
};

static LOGPROBS_SHAPE: Shape = Shape {
    expected: "true, false or a whole number",
    forms: &[
        Form::Bool,
        Form::Number {
            min: 0.0,
            max: 100.0,
            integer: true,
        },
        Form::Text(Text::Reference(&[])),
    ],
};

static TOOLS: Shape = Shape {
    expected: "an array of tools",
    forms: &[Form::List {
        items: &TOOL,
        at_least: 0,
    }],
};

static TOOL: Shape = Shape {
    expected: "an object with `name` or `mcp`",
    forms: &[Form::Record(&Record {
        name: "tool",
        fields: &[
            field("name", &FILLED, "The name of the function."),
            field(
                "description",
                &TEXT,
                "The purpose of the function, for the model.",
            ),
            field(
                "parameters",
                &OBJECT,
                "The JSON Schema of the arguments (default: no arguments).",
            ),
            field("output", &ANY, "The output of every call."),
            field(
                "outputs",
                &OUTPUTS,
                "Outputs that depend on the arguments: the first entry whose `input` is part of the arguments counts. If there is none, `output` counts.",
            ),
            field(
                "command",
                &ARGV,
                "The program that runs each call, and its arguments. The arguments of the call are on stdin as JSON, and stdout is the output.",
            ),
            field(
                "mcp",
                &SERVER,
                "The MCP server that offers tools and runs their calls. With `name`, only the tool of this name is used.",
            ),
        ],
        required: &[&["name", "mcp"]],
        others: Others::Refuse,
    })],
};

static SERVER: Shape = Shape {
    expected: "an object with `command` or `url`",
    forms: &[Form::Record(&Record {
        name: "mcp",
        fields: &[
            field(
                "command",
                &ARGV,
                "The program that speaks the protocol on stdin and stdout, and its arguments. It runs for the whole run.",
            ),
            field(
                "cwd",
                &FOLDER,
                "The working directory of `command`, relative to the eval file (default: the folder of the eval file).",
            ),
            field(
                "env",
                &VARIABLES,
                "Additional environment variables of `command`.",
            ),
            field(
                "url",
                &FILLED,
                "The address of a server that speaks the protocol over HTTP (streamable HTTP).",
            ),
            field("headers", &HEADER_MAP, "Additional headers for `url`."),
            field(
                "tools",
                &NAMES,
                "The names of the tools to offer to the model (default: all).",
            ),
            field(
                "timeout_seconds",
                &SECONDS,
                "The time limit for the start of the server and for each call, in seconds (default: 60).",
            ),
        ],
        required: &[&["command", "url"]],
        others: Others::Refuse,
    })],
};

static NAMES: Shape = Shape {
    expected: "an array of names",
    forms: &[Form::List {
        items: &FILLED,
        at_least: 1,
    }],
};

static OUTPUTS: Shape = Shape {
    expected: "an array of objects with `input` and `output`",
    forms: &[Form::List {
        items: &OUTPUT,
        at_least: 1,
    }],
};

static OUTPUT: Shape = Shape {
    expected: "an object with `input` and `output`",
    forms: &[Form::Record(&Record {
        name: "output",
        fields: &[
            field("input", &OBJECT, "The arguments, or some of them."),
            field("output", &ANY, "The output for these arguments."),
        ],
        required: &[&["input"], &["output"]],
        others: Others::Refuse,
    })],
};

static ARGV: Shape = Shape {
    expected: "an array of strings",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 1,
    }],
};

/// The price of a model's tokens.
pub(super) const PRICE: Field = Field {
    name: "price",
    shape: &PRICE_SHAPE,
    doc: "The price per million tokens, in US dollars: `input`, `output`, `cached_input`, `cache_write` (default: the price in the built-in table).",
};

static PRICE_SHAPE: Shape = Shape {
    expected: "an object with `input` and `output`",
    forms: &[Form::Record(&Record {
        name: "price",
        fields: &[
            field(
                "input",
                &AMOUNT,
                "The price of a million input tokens, in US dollars.",
            ),
            field(
                "output",
                &AMOUNT,
                "The price of a million output tokens, in US dollars.",
            ),
            field(
                "cached_input",
                &AMOUNT,
                "The price of a million input tokens from the vendor's cache, in US dollars (default: `input`).",
            ),
            field(
                "cache_write",
                &AMOUNT,
                "The price of a million input tokens that the vendor writes to its cache, in US dollars (default: `input`).",
            ),
        ],
        required: &[&["input"], &["output"]],
        others: Others::Refuse,
    })],
};
