//! "Did you mean": the known name that is nearest to what was written.

/// The candidate that `written` was probably meant to be, if one is near enough.
///
/// ```
/// let known = ["expected_outcome", "expected_output", "id"];
/// assert_eq!(agentv_syntax::nearest("expectedOutcome", known), Some("expected_outcome"));
/// assert_eq!(agentv_syntax::nearest("colour", known), None);
/// ```
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let written = folded(written);
    known
        .into_iter()
        .map(|name| (strsim::osa_distance(&written, &folded(name)), name))
        .filter(|(distance, name)| *distance <= allowance(name.len().min(written.len())))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Typing mistakes that we forgive in a word of this length.
fn allowance(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=4 => 1,
        5..=9 => 2,
        _ => 3,
    }
}

/// Case and separators do not count: `expectedOutcome` is `expected_outcome`.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .take(64)
        .collect()
}
