//! ROUGE-L: the longest sequence of words that two texts have in common.

use rapidfuzz::distance::lcs_seq;

use super::error::{ComparisonError, refuse_if_too_long};
use super::symbols::Symbols;

/// Returns the harmonic mean of two shares: the answer's words and the reference's words that are
/// in the longest common subsequence.
///
/// Words consist of the letters `a` to `z` and digits, in lower case, as in the `rouge-score`
/// package. A reference in another script cannot be compared.
pub(super) fn similarity(answer: &str, reference: &str) -> Result<f64, ComparisonError> {
    let symbols = symbols("rouge_l", answer, reference)?;
    let (found, expected) = (&symbols.first, &symbols.second);
    refuse_if_too_long("rouge_l", "words", found.len(), expected.len())?;
    let common = lcs_seq::similarity(found.iter().copied(), expected.iter().copied());
    Ok(harmonic_mean(common, found.len(), expected.len()))
}

/// Returns the words of both texts as numbers.
pub(super) fn symbols(
    metric: &'static str,
    answer: &str,
    reference: &str,
) -> Result<Symbols, ComparisonError> {
    let (answer, reference) = (answer.to_lowercase(), reference.to_lowercase());
    let symbols = Symbols::of_words(words(&answer), words(&reference));
    if symbols.second.is_empty() && reference.contains(char::is_alphanumeric) {
        return Err(ComparisonError::NoWords { metric });
    }
    Ok(symbols)
}

/// Returns the harmonic mean of two shares: `common` of the words found, and of those expected.
pub(super) fn harmonic_mean(common: usize, found: usize, expected: usize) -> f64 {
    if common == 0 {
        return 0.0;
    }
    let precision = common as f64 / found as f64;
    let recall = common as f64 / expected as f64;
    2.0 * precision * recall / (precision + recall)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}
