//! "Did you mean": the known name that is nearest to what was written.

/// Returns the name that `written` was probably meant to be, if one is near enough.
///
/// ```
/// let known = ["expected_outcome", "expected_output", "id"];
/// assert_eq!(agentv_syntax::nearest("expectedOutcome", known), Some("expected_outcome"));
/// assert_eq!(agentv_syntax::nearest("colour", known), None);
/// ```
pub fn nearest<'k>(written: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let written = folded(written);
    let length = written.chars().count();
    known
        .into_iter()
        .filter_map(|name| {
            let allowed = allowance(name.len().min(written.len()));
            let folded = folded(name);
            // The lengths alone rule out most names, at a fraction of the cost.
            let is_possible = length.abs_diff(folded.chars().count()) <= allowed;
            let distance = is_possible.then(|| strsim::osa_distance(&written, &folded))?;
            (distance <= allowed).then_some((distance, name))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Returns the advice to write `name`.
pub fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// Returns the name that an advice of [`did_you_mean`] suggests. The advice may be a part of a sentence.
///
/// ```
/// use agentv_syntax::{did_you_mean, suggested_in};
/// assert_eq!(suggested_in(&did_you_mean("id")), Some("id"));
/// assert_eq!(suggested_in("known: id, input"), None);
/// ```
pub fn suggested_in(advice: &str) -> Option<&str> {
    let (_, name) = advice.split_once("did you mean `")?;
    name.split_once("`?").map(|(name, _)| name)
}

/// Returns the number of typing mistakes allowed in a word of this length.
fn allowance(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=4 => 1,
        5..=9 => 2,
        _ => 3,
    }
}

/// Removes case and separators: `expectedOutcome` equals `expected_outcome`.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .take(64)
        .collect()
}
