//! `execution_metrics`: the target kept within limits on the way to its answer.

use agentv_syntax::shape::{AMOUNT, COUNT, FRACTION};
use agentv_syntax::{Field, Kind, Others, Record};

pub(crate) static KIND: Kind = Kind {
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
                doc: "The most calls of a language model.",
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
                doc: "The share of tool calls, from 0 to 1, that should look around rather than change something.",
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
};
