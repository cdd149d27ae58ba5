//! The options and facts of `composite`.

use agentv_syntax::shape::{AMOUNT, EVALUATOR, FILLED, FRACTION};
use agentv_syntax::{Field, Form, Kind, Others, Record, Shape, Text};

use super::evaluator::build;
use super::{check, facts};
use crate::judge;
use crate::kind::{EvaluatorKind, Facts};
use crate::script::{FOLDER, TIMEOUT};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "composite",
        aliases: &[],
        doc: "Combines the results of several evaluators into one.",
        options: Record {
            name: "composite",
            fields: &[
                Field {
                    name: "evaluators",
                    shape: &MEMBERS,
                    doc: "The evaluators to combine.",
                },
                Field {
                    name: "aggregator",
                    shape: &AGGREGATOR,
                    doc: "The way to combine their results (default: the weighted average).",
                },
            ],
            required: &[&["evaluators"]],
            others: Others::Warn,
        },
        shorthand: None,
    },
    example: "\
- type: composite
  evaluators:
    - {type: contains, value: Paris, name: city}
    - {type: is_json}
  aggregator: {type: weighted_average, weights: {city: 2}}
- type: composite
  evaluators: [equals: a, equals: b]
  aggregator: {type: threshold, threshold: 0.5}
- type: composite
  evaluators: [equals: a]
  aggregator: {type: code_judge, path: join.py, cwd: ., timeout_seconds: 5}
- type: composite
  evaluators: [equals: a]
  aggregator: {type: llm_judge, prompt: 'Weigh {{ EVALUATOR_RESULTS_JSON }}', target: judge}
",
    facts: Facts {
        effort: facts::effort,
        judges: facts::judges,
        runs_commands: facts::runs_commands,
        files: facts::files,
        needs_workspace: facts::needs_workspace,
        compares: facts::compares,
        members: Some("evaluators"),
        problem: check::problem,
        ..Facts::CHECK
    },
    build,
};

static MEMBERS: Shape = Shape {
    expected: "an array of at least one evaluator",
    forms: &[Form::List {
        items: &EVALUATOR,
        at_least: 1,
    }],
};

static AGGREGATOR: Shape = Shape {
    expected: "an aggregator (an object with `type`)",
    forms: &[Form::Record(&Record {
        name: "aggregator",
        fields: &[
            Field {
                name: "type",
                shape: &AGGREGATOR_TYPE,
                doc: "`weighted_average`, `minimum` or `maximum` (the lowest or highest score), `threshold` (1 if enough evaluators pass, else 0), or the script (`code_judge`) or language model (`llm_judge`) that decides.",
            },
            Field {
                name: "weights",
                shape: &WEIGHTS,
                doc: "For `weighted_average`: the weights of evaluators, by name (default: each evaluator's own `weight`).",
            },
            Field {
                name: "threshold",
                shape: &FRACTION,
                doc: "For `threshold`: the smallest share of evaluators that must pass, from 0 to 1.",
            },
            Field {
                name: "path",
                shape: &SCRIPT_FILE,
                doc: "For `code_judge`: the script, which reads the results as JSON and prints a score: the path of a file, or a string for the shell.",
            },
            Field {
                name: "cwd",
                shape: &FOLDER,
                doc: "For `code_judge`: the folder to run the script in, relative to the eval file (default: the folder of the eval file).",
            },
            TIMEOUT,
            Field {
                name: "prompt",
                shape: &PROMPT,
                doc: "For `llm_judge`: the prompt or the path of its file. `{{EVALUATOR_RESULTS_JSON}}` is replaced by the results.",
            },
            Field {
                name: "target",
                shape: &FILLED,
                doc: "For `llm_judge`: the target to ask as judge.",
            },
        ],
        required: &[&["type"]],
        others: Others::Warn,
    })],
};

static AGGREGATOR_TYPE: Shape = Shape {
    expected: "weighted_average, minimum, maximum, threshold, code_judge or llm_judge",
    forms: &[Form::Text(Text::OneOf(&[
        "weighted_average",
        "minimum",
        "maximum",
        "threshold",
        "code_judge",
        "llm_judge",
    ]))],
};

static WEIGHTS: Shape = Shape {
    expected: "an object that maps evaluator names to weights",
    forms: &[Form::Map(&AMOUNT)],
};

static SCRIPT_FILE: Shape = Shape {
    expected: "a script (the path of a file, or a string for the shell)",
    forms: &[Form::Text(Text::TextOrFile)],
};

static PROMPT: Shape = Shape {
    expected: "a prompt (a string, or the path of a file)",
    forms: &[Form::Checked {
        form: &Form::Text(Text::TextOrFile),
        check: judge::joining_prompt_problem,
    }],
};
