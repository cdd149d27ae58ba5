//! The options and facts of `execution_metrics`.

use agentv_syntax::shape::{AMOUNT, COUNT, FRACTION};
use agentv_syntax::{Field, Kind, Others, Record};

use super::evaluator::build;
use crate::kind::{EvaluatorKind, Facts};

pub(crate) static KIND: EvaluatorKind = EvaluatorKind {
    kind: Kind {
        name: "execution_metrics",
        aliases: &[],
        doc: "Scores how many of the given limits the target kept on the way to its answer.",
        options: Record {
            name: "execution_metrics",
            fields: &[
                Field {
                    name: "max_tool_calls",
                    shape: &COUNT,
                    doc: "The most calls of tools.",
                },
                Field {
                    name: "max_llm_calls",
                    shape: &COUNT,
                    doc: "The most calls of a language model, which are the messages of the assistant.",
                },
                Field {
                    name: "max_tokens",
                    shape: &COUNT,
                    doc: "The most tokens of input and output together.",
                },
                Field {
                    name: "max_cost_usd",
                    shape: &AMOUNT,
                    doc: "The most that the answer may cost, in US dollars.",
                },
                Field {
                    name: "max_duration_ms",
                    shape: &AMOUNT,
                    doc: "The longest that the answer may take, in milliseconds.",
                },
                Field {
                    name: "target_exploration_ratio",
                    shape: &FRACTION,
                    doc: "The share of tool calls, from 0 to 1, that should look around rather than change something, by the words in their names.",
                },
                Field {
                    name: "exploration_tolerance",
                    shape: &FRACTION,
                    doc: "How far the share may be from `target_exploration_ratio`, 0.2 unless given.",
                },
            ],
            required: &[&[
                "max_tool_calls",
                "max_llm_calls",
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
  max_tokens: 1000
  max_cost_usd: 0.5
  max_duration_ms: 60000
  target_exploration_ratio: 0.6
  exploration_tolerance: 0.1
",
    facts: Facts::CHECK,
    build,
};
