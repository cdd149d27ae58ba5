//! Jaro-Winkler similarity: letters that two texts share near the same place, and a common start.

use rapidfuzz::distance::jaro_winkler;

use super::error::{ComparisonError, refuse_if_too_long};

/// Returns the similarity of two texts, in letters, and 1 for two empty ones.
pub(super) fn similarity(answer: &str, reference: &str) -> Result<f64, ComparisonError> {
    let (found, expected) = (answer.chars().count(), reference.chars().count());
    refuse_if_too_long("jaro_winkler", "letters", found, expected)?;
    Ok(jaro_winkler::similarity(answer.chars(), reference.chars()))
}
