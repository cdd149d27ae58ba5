//! The options and facts of `execution_metrics`.

use agentv_syntax::shape::{AMOUNT, FRACTION};
use agentv_syntax::{Field, Kind, Others, Record};

use super::evaluator::build;
use crate::kind::{EvaluatorKind, Facts};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "execution_metrics",
        aliases: &[],
        doc: "Sets several limits. The score is the share of them that the target stayed within.",
        options: Record {
            name: "execution_metrics",
            fields: &[
                Field {
                    name: "max_tool_calls",
                    shape: &AMOUNT,
                    doc: "The maximum number of tool calls.",
                },
                Field {
                    name: "max_llm_calls",
                    shape: &AMOUNT,
                    doc: "The maximum number of calls of a language model. Each assistant message counts as one.",
                },
                Field {
                    name: "max_turns",
                    shape: &AMOUNT,
                    doc: "The maximum number of turns of the target. Each assistant message counts as one.",
                },
                Field {
                    name: "max_tokens",
                    shape: &AMOUNT,
                    doc: "The maximum number of input and output tokens together.",
                },
                Field {
                    name: "max_cost_usd",
                    shape: &AMOUNT,
                    doc: "The maximum cost of the answer, in US dollars.",
                },
                Field {
                    name: "max_duration_ms",
                    shape: &AMOUNT,
                    doc: "The maximum duration of the answer, in milliseconds.",
                },
                Field {
                    name: "target_exploration_ratio",
                    shape: &FRACTION,
                    doc: "The expected share of tool calls, from 0 to 1, that explore rather than change something. The name of the tool decides which of the two a call does.",
                },
                Field {
                    name: "exploration_tolerance",
                    shape: &FRACTION,
                    doc: "The maximum difference between the share and `target_exploration_ratio` (default: 0.2).",
                },
            ],
            required: &[&[
                "max_tool_calls",
                "max_llm_calls",
                "max_turns",
                "max_tokens",
                "max_cost_usd",
                "max_duration_ms",
                "target_exploration_ratio",
            ]],
            others: Others::Warn,
        },
        shorthand: None,
    },
    example: "\
- type: execution_metrics
  max_tool_calls: 10
  max_llm_calls: 5
  max_turns: 5
  max_tokens: 1000
  max_cost_usd: 0.5
  max_duration_ms: 60000
  target_exploration_ratio: 0.6
  exploration_tolerance: 0.1
",
    facts: Facts::CHECK,
    build,
};
