//! The options and facts of `tool_trajectory`.

use agentv_syntax::shape::{AMOUNT, ANY, COUNT, FILLED};
use agentv_syntax::{Code, Field, Form, Kind, Node, Others, Problem, Record, Shape, Text};

use super::evaluator::build;
use super::expected::ARGS_MATCH_EXPECTED;
use crate::kind::{EvaluatorKind, Facts};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "tool_trajectory",
        aliases: &[],
        doc: "Scores the share of the expected tool calls that the target made.",
        options: Record {
            name: "tool_trajectory",
            fields: &[
                Field {
                    name: "mode",
                    shape: &MODE,
                    doc: "`any_order` counts calls, `in_order` allows other calls in between, `exact` allows no other calls, `superset` allows other calls and any order, `subset` allows the expected calls only, any number of times.",
                },
                Field {
                    name: "minimums",
                    shape: &MINIMUMS,
                    doc: "For `any_order`: the minimum number of calls of each tool, by name.",
                },
                Field {
                    name: "expected",
                    shape: &CALLS,
                    doc: "For all other modes: the expected calls, in order.",
                },
                Field {
                    name: "args_match",
                    shape: &ARGS_MATCH,
                    doc: ARGS_MATCH_DOC,
                },
            ],
            required: &[&["mode"], &["expected", "minimums"]],
            others: Others::Warn,
        },
        shorthand: None,
    },
    example: "\
- {type: tool_trajectory, mode: any_order, minimums: {search: 2}}
- type: tool_trajectory
  mode: in_order
  expected: [{tool: search, args: any}, {tool: open, args: {id: 1}, max_duration_ms: 500}, {kind: execute}]
- type: tool_trajectory
  mode: superset
  args_match: exact
  expected: [{tool: open, args: {id: 1}, args_match: [id]}]
",
    facts: Facts {
        problem,
        ..Facts::CHECK
    },
    build,
};

static MODE: Shape = Shape {
    expected: "any_order, in_order, exact, superset or subset",
    forms: &[Form::Text(Text::OneOf(&[
        "any_order",
        "in_order",
        "exact",
        "superset",
        "subset",
    ]))],
};

const ARGS_MATCH_DOC: &str = "How to compare arguments: `exact`, `superset` (each expected argument is there, with an equal value), `subset` (each argument is expected), `ignore`, or the names of the arguments to compare (default: the call's arguments contain the expected ones, at every level).";

static ARGS_MATCH: Shape = Shape {
    expected: ARGS_MATCH_EXPECTED,
    forms: &[
        Form::Text(Text::OneOf(&["exact", "superset", "subset", "ignore"])),
        Form::List {
            items: &FILLED,
            at_least: 1,
        },
    ],
};

static MINIMUMS: Shape = Shape {
    expected: "an object that maps tool names to whole numbers",
    forms: &[Form::Map(&COUNT)],
};

static CALLS: Shape = Shape {
    expected: "an array of expected tool calls",
    forms: &[Form::List {
        items: &CALL,
        at_least: 0,
    }],
};

static CALL: Shape = Shape {
    expected: "an expected tool call (an object with `tool` or `kind`)",
    forms: &[Form::Record(&Record {
        name: "expected tool call",
        fields: &[
            Field {
                name: "tool",
                shape: &FILLED,
                doc: "The name of the tool.",
            },
            Field {
                name: "kind",
                shape: &TOOL_KIND,
                doc: "The kind of the tool, in place of its name, for comparisons across agents: `execute`, `edit`, `read`, `search`, `fetch` or `other`.",
            },
            Field {
                name: "args",
                shape: &ARGUMENTS,
                doc: "The arguments that the call must include, or `any`.",
            },
            Field {
                name: "args_match",
                shape: &ARGS_MATCH,
                doc: "Replaces `args_match` of the evaluator for this call.",
            },
            Field {
                name: "max_duration_ms",
                shape: &AMOUNT,
                doc: "The maximum duration of the call, in milliseconds.",
            },
        ],
        required: &[&["tool", "kind"]],
        others: Others::Warn,
    })],
};

static TOOL_KIND: Shape = Shape {
    expected: "one of execute, edit, read, search, fetch, other",
    forms: &[Form::Text(Text::OneOf(agentv_core::ToolKind::NAMES))],
};

static ARGUMENTS: Shape = Shape {
    expected: "`any` or an object of arguments",
    forms: &[Form::Text(Text::OneOf(&["any"])), Form::Map(&ANY)],
};

/// Checks that `any_order` has `minimums` and the other modes have `expected`.
fn problem(options: Node<'_>) -> Option<Problem> {
    let mode = options.given("mode")?;
    let needed = match mode.text().as_ref() {
        "any_order" => "minimums",
        _ => "expected",
    };
    if options.given(needed).is_some() {
        return None;
    }
    let message = format!("`{}` requires `{needed}`", mode.text());
    Some(Problem::error(Code::MissingField, mode.span(), message).at(needed))
}
