//! The reasons why two texts cannot be compared.

use thiserror::Error;

/// The reason why two texts cannot be compared.
#[derive(Debug, Error)]
pub(super) enum ComparisonError {
    #[error(
        "an answer of {answer} {unit} and a reference of {reference} {unit} are too long to \
         compare with `{metric}`"
    )]
    TooLong {
        metric: &'static str,
        unit: &'static str,
        answer: usize,
        reference: usize,
    },
    #[error(
        "`{metric}` compares words made of the letters a to z and digits, and the reference has \
         none; use `levenshtein` or `bleu`"
    )]
    NoWords { metric: &'static str },
}

/// The most pairs of letters or words that are compared: two texts of a hundred thousand each, which
/// takes about a second.
const MOST_PAIRS: usize = 10_000_000_000;

/// Refuses texts so long that comparing them would delay the run.
pub(super) fn refuse_if_too_long(
    metric: &'static str,
    unit: &'static str,
    answer: usize,
    reference: usize,
) -> Result<(), ComparisonError> {
    match answer.checked_mul(reference) {
        Some(pairs) if pairs <= MOST_PAIRS => Ok(()),
        _ => Err(ComparisonError::TooLong {
            metric,
            unit,
            answer,
            reference,
        }),
    }
}
