//! The reasons why the answer of a judge cannot be used.

use thiserror::Error;

/// The reason why the answer of a judge cannot be used, in words for the judge.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum UnusableAnswer {
    #[error("it is longer than 1 MiB")]
    TooLong,
    #[error("it is empty")]
    Empty,
    #[error("it has no JSON object")]
    NoObject,
    #[error("its JSON is invalid")]
    BrokenJson,
    #[error("its JSON has a duplicate key")]
    RepeatedKey,
    #[error("its JSON is quoted from the answer")]
    Quoted,
    #[error("it has several answers that differ")]
    Ambiguous,
    #[error("`score` is missing")]
    NoScore,
    #[error("`score` must be a number from 0 to 1, but is {found}")]
    InvalidScore { found: String },
    #[error("`better` is missing")]
    NoPreference,
    #[error("`better` must be `first`, `second` or `neither`, but is {found}")]
    InvalidPreference { found: String },
    #[error("`checks` is missing: expected an array with an object for each item")]
    NoChecks,
    #[error("`checks` has nothing for the item `{item}`")]
    NoCheck { item: String },
    #[error("`checks` has contradictory entries for the item `{item}`")]
    ContradictoryChecks { item: String },
    #[error("`{field}` of the item `{item}` must be {expected}, but is {found}")]
    InvalidCheck {
        field: &'static str,
        item: String,
        expected: &'static str,
        found: String,
    },
}
