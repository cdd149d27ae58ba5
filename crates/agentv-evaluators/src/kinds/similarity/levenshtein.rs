//! Levenshtein similarity: one minus the share of letters that have to change.

use rapidfuzz::distance::levenshtein;

use super::error::{ComparisonError, refuse_if_too_long};

/// Returns `1 - distance / longer length`, in letters, and 1 for two empty texts.
pub(super) fn similarity(answer: &str, reference: &str) -> Result<f64, ComparisonError> {
    let longer = answer.chars().count().max(reference.chars().count());
    if longer == 0 {
        return Ok(1.0);
    }
    Ok(1.0 - distance(answer, reference)? as f64 / longer as f64)
}

/// Returns the number of letters that have to be added, removed or replaced.
pub(super) fn distance(answer: &str, reference: &str) -> Result<usize, ComparisonError> {
    let answer: Vec<char> = answer.chars().collect();
    let reference: Vec<char> = reference.chars().collect();
    // A long answer that is nearly right is compared in its middle only.
    let (answer, reference) = without_common_ends(&answer, &reference);
    refuse_if_too_long("levenshtein", "letters", answer.len(), reference.len())?;
    let (answer, reference) = (answer.iter().copied(), reference.iter().copied());
    Ok(levenshtein::distance(answer, reference))
}

/// Removes the start and the end that two texts share.
fn without_common_ends<'t>(first: &'t [char], second: &'t [char]) -> (&'t [char], &'t [char]) {
    let same = |(a, b): &(&char, &char)| a == b;
    let start = first.iter().zip(second).take_while(same).count();
    let (first, second) = (&first[start..], &second[start..]);
    let end = first.iter().rev().zip(second.iter().rev());
    let end = end.take_while(same).count();
    (&first[..first.len() - end], &second[..second.len() - end])
}
