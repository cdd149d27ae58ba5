//! The options that all agents share.

use std::borrow::Cow;

use agentv_core::{Limits, Retry};
use agentv_syntax::shape::{FILLED, TEXT};
use agentv_syntax::{Field, Form, Shape, Text};

use super::model::PRICE;
use crate::agent::Permissions;
use crate::target::sandbox::{NETWORK, SANDBOX};
use crate::target::shapes::{BOOL, POSITIVE, SECONDS, VARIABLES};

/// The default limits of an agent. It may have acted before it failed, so it is seldom asked again.
pub(super) static LIMITS: Limits = Limits {
    retry: Retry {
        max_retries: 1,
        // Those of other targets, and that of an overloaded model of Anthropic.
        status_codes: Some(Cow::Borrowed(&[408, 429, 500, 502, 503, 504, 529])),
        ..Retry::DEFAULT
    },
    ..Limits::COMMAND
};

/// The number of options that every agent has.
pub(super) const SHARED: usize = 15;

/// Returns the options of an agent. `command` and `api_key` describe what differs between agents.
pub(super) const fn fields(command: &'static str, api_key: &'static str) -> [Field; SHARED] {
    [
        field("command", &WORDS, command),
        field(
            "model",
            &FILLED,
            "The model, as the agent names it (default: the agent's own).",
        ),
        field(
            "base_url",
            &FILLED,
            "The address of the model's API, with or without its version (default: the variable of the vendor, such as `ANTHROPIC_BASE_URL`, or else the vendor's address).",
        ),
        field("api_key", &FILLED, api_key),
        field(
            "permissions",
            &PERMISSIONS,
            "`read_only` lets the agent read and search, `edit` also edit files and run commands in its workspace, `all` do anything (default: `edit`). The agent never asks for permission.",
        ),
        field(
            "tools",
            &NAMES,
            "The tools that the agent may use, with the agent's own names for them (default: those that `permissions` allows).",
        ),
        field(
            "max_turns",
            &POSITIVE,
            "The maximum number of calls of the model. After that, the agent is stopped, and its work so far is graded.",
        ),
        field(
            "idle_seconds",
            &SECONDS,
            "The maximum time without any event of the agent, and without an answer of its model that arrives through the proxy, in seconds. After that, the agent is stopped, and its trial errors (default: 300).",
        ),
        field(
            "pass_env",
            &NAMES,
            "The names of variables that the agent gets from the environment, in addition to those that programs need, such as `PATH`.",
        ),
        field("env", &VARIABLES, "Variables that are set for the agent."),
        field("args", &ARGUMENTS, "Further arguments for the agent."),
        SANDBOX,
        NETWORK,
        field(
            "proxy",
            &BOOL,
            "False to give the key to the agent itself. Otherwise the agent calls its model through a proxy on the loopback address, which holds the key, counts calls, tokens and cost, and enforces `--budget` and `max_turns` (default: true).",
        ),
        PRICE,
    ]
}

/// Returns the options of an agent that cannot be limited to some of its tools.
pub(super) const fn without_tools(
    mut fields: [Field; SHARED],
    doc: &'static str,
) -> [Field; SHARED] {
    fields[TOOLS].doc = doc;
    fields
}

/// Returns the options of an agent that needs the name of a model.
pub(super) const fn with_model(mut fields: [Field; SHARED]) -> [Field; SHARED] {
    fields[MODEL].doc = "The model, as its API names it.";
    fields
}

/// The place of `model` among the options.
const MODEL: usize = 1;
/// The place of `tools` among the options.
const TOOLS: usize = 5;

/// Returns shared options and those of one agent.
pub(super) const fn with<const N: usize>(shared: [Field; SHARED], own: &[Field]) -> [Field; N] {
    assert!(own.len() + SHARED == N, "the number of options is wrong");
    let mut all = [shared[0]; N];
    let mut place = 0;
    while place < N {
        all[place] = if place < SHARED {
            shared[place]
        } else {
            own[place - SHARED]
        };
        place += 1;
    }
    all
}

/// The protocol of the models, for an agent that speaks several.
pub(super) const API: Field = field(
    "api",
    &FAMILY,
    "The protocol of the model's API, `anthropic` or `openai` (default: `anthropic` if the name of the model contains `claude`, otherwise `openai`).",
);

static FAMILY: Shape = Shape {
    expected: "anthropic or openai",
    forms: &[Form::Text(Text::Reference(&["anthropic", "openai"]))],
};

/// Declares the `KIND`, the options and the `PROVIDER` of an agent, whose `AGENT` is in the same file.
///
/// `required` lists the options that a target must have: `model`, or nothing.
/// `api_key` documents that option, `options` are those that other agents do not have, and `tools` replaces
/// the documentation of that option. `example` names a model, the variable of its key, and further lines.
macro_rules! agent {
    (
        provider: $provider:literal,
        program: $program:literal,
        doc: $doc:literal,
        $(required: $required:ident,)?
        api_key: $api_key:literal,
        $(tools: $tools:literal,)?
        options: $options:expr,
        example: [$model:literal, $key:literal $(, $more:literal)?],
    ) => {
        pub(super) static KIND: agentv_syntax::Kind = agentv_syntax::Kind {
            name: $provider,
            aliases: &[],
            doc: $doc,
            options: agentv_syntax::Record {
                name: $provider,
                fields: &FIELDS,
                required: &[$(&[stringify!($required)])?],
                others: agentv_syntax::Others::Refuse,
            },
            shorthand: None,
        };

        const OPTIONS: &[agentv_syntax::Field] = $options;

        static FIELDS: [agentv_syntax::Field; super::agent::SHARED + OPTIONS.len()] = {
            let command = concat!("The program and its first arguments (default: `[", $program, "]`).");
            let shared = super::agent::fields(command, $api_key);
            $(
                const _: &str = stringify!($required);
                let shared = super::agent::with_model(shared);
            )?
            $(let shared = super::agent::without_tools(shared, $tools);)?
            super::agent::with(shared, OPTIONS)
        };

        pub(super) static PROVIDER: super::ProviderKind = super::ProviderKind {
            kind: &KIND,
            limits: &super::agent::LIMITS,
            facts: &super::Facts::AGENT,
            example: concat!(
                "- name: agent\n  provider: ",
                $provider,
                "\n  command: [",
                $program,
                "]\n  model: ",
                $model,
                "\n  api_key: ${{ ",
                $key,
                " }}\n",
                $($more,)?
                "  permissions: edit\n  max_turns: 30\n  timeout_seconds: 1800\n  idle_seconds: 300\n",
                "  pass_env: [JAVA_HOME]\n  env: {CI: \"1\"}\n  args: []\n",
                "  sandbox: none\n  network: \"on\"\n",
                "- {name: local, provider: ",
                $provider,
                ", model: my-model, base_url: \"http://localhost:8080\", proxy: false}\n",
                "- {name: priced, provider: ",
                $provider,
                ", model: my-model, price: {input: 1.25, output: 10, cached_input: 0.125}}\n",
            ),
            build: |settings| crate::agent::build(&AGENT, settings),
        };
    };
}

pub(super) use agent;

const fn field(name: &'static str, shape: &'static Shape, doc: &'static str) -> Field {
    Field { name, shape, doc }
}

static WORDS: Shape = Shape {
    expected: "an array of strings (a program and its arguments)",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 1,
    }],
};

static ARGUMENTS: Shape = Shape {
    expected: "an array of strings",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 0,
    }],
};

static NAMES: Shape = Shape {
    expected: "an array of names",
    forms: &[Form::List {
        items: &FILLED,
        at_least: 0,
    }],
};

static PERMISSIONS: Shape = Shape {
    expected: "read_only, edit or all",
    forms: &[Form::Text(Text::Reference(Permissions::NAMES))],
};
