//! The reasons why the answer of a judge cannot be used.

use thiserror::Error;

/// The reason why the answer of a judge cannot be used, in words for the judge.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum UnusableAnswer {
    #[error("it is longer than 1 MiB")]
    TooLong,
    #[error("it is empty")]
    Empty,
    #[error("there is no JSON object in it")]
    NoObject,
    #[error("the JSON in it is broken")]
    BrokenJson,
    #[error("a key stands twice in its JSON")]
    RepeatedKey,
    #[error("the JSON in it is quoted from the answer")]
    Quoted,
    #[error("it holds several answers that differ")]
    Ambiguous,
    #[error("`score` is missing")]
    NoScore,
    #[error("`score` must be a number from 0 to 1, and is {found}")]
    InvalidScore { found: String },
    #[error("`checks` is missing, an array with an object for each item")]
    NoChecks,
    #[error("`checks` has nothing for the item `{item}`")]
    NoCheck { item: String },
    #[error("`checks` says two things of the item `{item}`")]
    ContradictoryChecks { item: String },
    #[error("`{field}` of the item `{item}` must be {expected}, and is {found}")]
    InvalidCheck {
        field: &'static str,
        item: String,
        expected: &'static str,
        found: String,
    },
}
