//! ROUGE-1: the single words that two texts have in common.

use super::error::ComparisonError;
use super::rouge_l::{harmonic_mean, symbols};

/// Returns the harmonic mean of two shares: the answer's words and the reference's words that both have. A
/// word counts as often as in the text that has it less often.
///
/// Words are those of `rouge_l`.
pub(super) fn similarity(answer: &str, reference: &str) -> Result<f64, ComparisonError> {
    let mut symbols = symbols("rouge_1", answer, reference)?;
    let (found, expected) = (&mut symbols.first, &mut symbols.second);
    found.sort_unstable();
    expected.sort_unstable();
    let common = common_of_sorted(found, expected);
    Ok(harmonic_mean(common, found.len(), expected.len()))
}

/// Counts the elements that two sorted lists share.
fn common_of_sorted(first: &[u32], second: &[u32]) -> usize {
    let (mut at, mut other, mut common) = (0, 0, 0);
    while at < first.len() && other < second.len() {
        match first[at].cmp(&second[other]) {
            std::cmp::Ordering::Less => at += 1,
            std::cmp::Ordering::Greater => other += 1,
            std::cmp::Ordering::Equal => {
                common += 1;
                at += 1;
                other += 1;
            }
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::similarity;

    #[test]
    fn words_count_as_often_as_both_texts_have_them() {
        // Of 6 and 3 words, 2 are shared: "the" once, because the reference has it once, and "cat".
        let value = similarity("The cat sat on the mat", "the cat slept").unwrap();
        assert!((value - 2.0 * (2.0 / 6.0) * (2.0 / 3.0) / (2.0 / 6.0 + 2.0 / 3.0)).abs() < 1e-12);
        assert_eq!(
            similarity("the cat sat on the mat", "on the mat the cat sat").unwrap(),
            1.0
        );
        assert_eq!(similarity("dog", "cat").unwrap(), 0.0);
    }
}
