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
            doc: "The name that eval files and `--target` call the target by.",
        },
        Field {
            name: "provider",
            shape: &FILLED,
            doc: "The kind of target.",
        },
        Field {
            name: "judge_target",
            shape: &FILLED,
            doc: "The target that judges the answers of this one, itself unless given.",
        },
        Field {
            name: "workers",
            shape: &POSITIVE,
            doc: "The most cases in flight at a time; 10 for an API and 4 for a command unless given.",
        },
        Field {
            name: "provider_batching",
            shape: &BOOL,
            doc: "Whether all cases are handed over at once rather than one by one, false unless given.",
        },
        Field {
            name: "timeout_seconds",
            shape: &SECONDS,
            doc: "The longest that one attempt may take; 300 for an API and 1800 for a command unless given.",
        },
        Field {
            name: "requests_per_minute",
            shape: &POSITIVE,
            doc: "The most requests in a minute, no limit unless given.",
        },
        Field {
            name: "tokens_per_minute",
            shape: &POSITIVE,
            doc: "The most tokens in a minute, no limit unless given.",
        },
        Field {
            name: "max_retries",
            shape: &COUNT,
            doc: "How often a failed attempt is repeated, 3 times unless given.",
        },
        Field {
            name: "retry_initial_delay_ms",
            shape: &AMOUNT,
            doc: "The wait before the first retry in milliseconds, 1000 unless given.",
        },
        Field {
            name: "retry_max_delay_ms",
            shape: &AMOUNT,
            doc: "The longest wait before a retry in milliseconds, 60000 unless given.",
        },
        Field {
            name: "retry_backoff_factor",
            shape: &FACTOR,
            doc: "By how much the wait grows from retry to retry, 2 unless given.",
        },
        Field {
            name: "retry_status_codes",
            shape: &STATUS_CODES,
            doc: "The HTTP status codes that are worth a retry; 408, 429, 500, 502, 503 and 504 unless given.",
        },
    ],
    required: &[&["name"], &["provider"]],
    others: Others::Refuse,
};
