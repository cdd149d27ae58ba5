//! `cli`: a command of the user's.

use agentv_core::Limits;
use agentv_syntax::shape::{FILLED, TEXT};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use super::{Facts, ProviderKind};
use crate::target::sandbox::{NETWORK, SANDBOX};
use crate::target::shapes::{BOOL, FOLDER, SECONDS};

pub(super) static KIND: Kind = Kind {
    name: "cli",
    aliases: &[],
    doc: "Runs a command and uses its output as the answer.",
    options: Record {
        name: "cli",
        fields: &[
            Field {
                name: "command",
                shape: &WORDS,
                doc: "The program and its arguments, run without a shell, with `{PROMPT}`, `{PROMPT_FILE}`, `{GUIDELINES}`, `{EVAL_ID}`, `{ATTEMPT}`, `{FILES}` and `{OUTPUT_FILE}` filled in. An argument that is just `{FILES}` becomes one argument per file.",
            },
            Field {
                name: "command_template",
                shape: &FILLED,
                doc: "A command line for the shell `sh`, instead of `command`, with the same placeholders. The shell never runs their values.",
            },
            Field {
                name: "cwd",
                shape: &FOLDER,
                doc: "The folder to run the command in, relative to the eval file (default: the folder of the eval file).",
            },
            Field {
                name: "inputs",
                shape: &PATTERNS,
                doc: "Globs of files on which the answers depend, besides those that the command names, relative to `cwd`. If one of them changes, `--resume` and `--cache` call the target again.",
            },
            Field {
                name: "files_format",
                shape: &FILLED,
                doc: "The format of each file in `{FILES}`, with `{path}` and `{basename}` filled in (default: `{path}`). With `command`, it is split into arguments at white space.",
            },
            Field {
                name: "healthcheck",
                shape: &HEALTHCHECK,
                doc: "A check that must succeed before the first case runs.",
            },
            SANDBOX,
            NETWORK,
            Field {
                name: "keep_temp_files",
                shape: &BOOL,
                doc: "True to keep the temporary files of the command (default: false).",
            },
        ],
        required: &[&["command", "command_template"]],
        others: Others::Refuse,
    },
    shorthand: None,
};

pub(super) static PROVIDER: ProviderKind = ProviderKind {
    kind: &KIND,
    limits: &Limits::COMMAND,
    facts: &Facts {
        check: crate::cli::check,
        ..Facts::COMMAND
    },
    example: r#"- name: agent
  provider: cli
  command: [agent, --case, "{EVAL_ID}", "--prompt={PROMPT}", "{FILES}", --out, "{OUTPUT_FILE}"]
  cwd: ../agent
  inputs: ["src/**/*.py", prompts]
  files_format: --file {path}
  keep_temp_files: true
  healthcheck: {type: command, command: [agent, --version], cwd: ., timeout_seconds: 5}
- name: pipeline
  provider: cli
  command_template: agent {PROMPT} | tail -n 1
  healthcheck: {type: http, url: http://localhost/health}
  sandbox: bubblewrap
  network: none
- {name: contained, provider: cli, command: [agent], sandbox: {docker: "node:22"}}
"#,
    build: crate::cli::build,
};

static WORDS: Shape = Shape {
    expected: "an array of strings (a program and its arguments; for a shell line use `command_template`)",
    forms: &[Form::List {
        items: &TEXT,
        at_least: 1,
    }],
};

static PATTERNS: Shape = Shape {
    expected: "an array of globs",
    forms: &[Form::List {
        items: &FILLED,
        at_least: 0,
    }],
};

static HEALTHCHECK: Shape = Shape {
    expected: "a healthcheck (an object with `type`)",
    forms: &[Form::Record(&Record {
        name: "healthcheck",
        fields: &[
            Field {
                name: "type",
                shape: &HEALTHCHECK_TYPE,
                doc: "`http` to request a URL, `command` to run a command.",
            },
            Field {
                name: "url",
                shape: &FILLED,
                doc: "For `http`: the URL, which must respond with a success or a redirect.",
            },
            Field {
                name: "command",
                shape: &WORDS,
                doc: "For `command`: the program and its arguments. It must succeed.",
            },
            Field {
                name: "command_template",
                shape: &FILLED,
                doc: "For `command`: a command line for the shell `sh`, instead of `command`.",
            },
            Field {
                name: "commandTemplate",
                shape: &FILLED,
                doc: "An alias of `command_template`.",
            },
            Field {
                name: "cwd",
                shape: &FOLDER,
                doc: "For `command`: the folder to run it in, relative to the eval file.",
            },
            Field {
                name: "timeout_seconds",
                shape: &SECONDS,
                doc: "The time limit for the check, in seconds (default: 30).",
            },
            Field {
                name: "timeoutSeconds",
                shape: &SECONDS,
                doc: "An alias of `timeout_seconds`.",
            },
        ],
        required: &[&["type"]],
        others: Others::Refuse,
    })],
};

static HEALTHCHECK_TYPE: Shape = Shape {
    expected: "http or command",
    forms: &[Form::Text(Text::OneOf(&["http", "command"]))],
};
