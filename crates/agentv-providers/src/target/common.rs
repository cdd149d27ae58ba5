//! The fields that all targets have.

use agentv_syntax::shape::FILLED;
use agentv_syntax::{Field, Others, Record};

use super::shapes::{AMOUNT, BOOL, COUNT, FACTOR, POSITIVE, SECONDS, STATUS_CODES};

pub(crate) static COMMON: Record = Record {
    name: "target",
    fields: &[
        Field {
            name: "name",
            shape: &FILLED,
            doc: "The name of the target in eval files and for `--target`.",
        },
        Field {
            name: "provider",
            shape: &FILLED,
            doc: "The kind of target.",
        },
        Field {
            name: "judge_target",
            shape: &FILLED,
            doc: "The target that judges this target's answers (default: `judge_target` of the project settings, else the target itself).",
        },
        Field {
            name: "workers",
            shape: &POSITIVE,
            doc: "The maximum number of requests in flight (default: 10 for an API, 4 for a command).",
        },
        Field {
            name: "provider_batching",
            shape: &BOOL,
            doc: "True to send all cases to the command at once, instead of one by one (default: false).",
        },
        Field {
            name: "timeout_seconds",
            shape: &SECONDS,
            doc: "The time limit for one attempt, in seconds (default: 300 for an API, 1800 for a command).",
        },
        Field {
            name: "requests_per_minute",
            shape: &POSITIVE,
            doc: "The maximum number of requests per minute (default: no limit).",
        },
        Field {
            name: "tokens_per_minute",
            shape: &POSITIVE,
            doc: "The maximum number of tokens per minute (default: no limit).",
        },
        Field {
            name: "max_retries",
            shape: &COUNT,
            doc: "The maximum number of retries after a failed attempt (default: 3, or 1 for an agent).",
        },
        Field {
            name: "retry_initial_delay_ms",
            shape: &AMOUNT,
            doc: "The delay before the first retry, in milliseconds (default: 1000).",
        },
        Field {
            name: "retry_max_delay_ms",
            shape: &AMOUNT,
            doc: "The maximum delay before a retry, in milliseconds (default: 60000).",
        },
        Field {
            name: "retry_backoff_factor",
            shape: &FACTOR,
            doc: "The factor by which the delay grows from one retry to the next (default: 2).",
        },
        Field {
            name: "retry_status_codes",
            shape: &STATUS_CODES,
            doc: "The HTTP status codes that are retried (default: 408, 429, 500, 502, 503 and 504).",
        },
        Field {
            name: "verbose",
            shape: &BOOL,
            doc: "Accepted for files of AgentV 2.5. It has no effect: see `--verbose` and `--log`.",
        },
    ],
    required: &[&["name"], &["provider"]],
    others: Others::Refuse,
};
