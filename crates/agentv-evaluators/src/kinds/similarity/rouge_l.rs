//! ROUGE-L: the longest sequence of words that two texts have in common.

use super::symbols::{Symbols, refuse_if_too_long};

/// The harmonic mean of the shares of the answer's and of the reference's words that stand, in the
/// same order, in the other.
///
/// Words are runs of the letters `a` to `z` and digits, in lower case, as in the `rouge-score`
/// package. A reference that has none of those, but letters of another script, cannot be compared.
pub(super) fn similarity(answer: &str, reference: &str) -> Result<f64, String> {
    let (answer, reference) = (answer.to_lowercase(), reference.to_lowercase());
    let symbols = Symbols::of_words(words(&answer), words(&reference));
    let (found, expected) = (&symbols.first, &symbols.second);
    if expected.is_empty() && reference.contains(char::is_alphanumeric) {
        return Err(
            "`rouge_l` compares words of the letters a to z and digits, and the reference has none; \
             use `levenshtein` or `bleu`"
                .to_owned(),
        );
    }
    refuse_if_too_long(found.len(), expected.len())?;
    let common = longest_common(found, expected, symbols.count);
    if common == 0 {
        return Ok(0.0);
    }
    let precision = common as f64 / found.len() as f64;
    let recall = common as f64 / expected.len() as f64;
    Ok(2.0 * precision * recall / (precision + recall))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

/// The length of the longest common subsequence.
///
/// Sixty-four rows of the table at a time, a bit for each row that is as long as the one above it
/// (Hyyrö 2004). Between the blocks only the carries of their additions are kept.
fn longest_common(rows: &[u32], columns: &[u32], symbols: usize) -> usize {
    let mut carries = vec![false; columns.len()];
    let mut rows_with = vec![0_u64; symbols];
    let mut length = 0;
    for block in rows.chunks(64) {
        for (row, symbol) in block.iter().enumerate() {
            rows_with[*symbol as usize] |= 1 << row;
        }
        let mut unchanged = u64::MAX;
        for (symbol, carry) in columns.iter().zip(&mut carries) {
            let equal = rows_with[*symbol as usize];
            let (sum, first) = unchanged.overflowing_add(unchanged & equal);
            let (sum, second) = sum.overflowing_add(u64::from(*carry));
            *carry = first | second;
            unchanged = sum | (unchanged & !equal);
        }
        let outside = u64::MAX.checked_shl(block.len() as u32).unwrap_or(0);
        length += (unchanged | outside).count_zeros() as usize;
        for symbol in block {
            rows_with[*symbol as usize] = 0;
        }
    }
    length
}
