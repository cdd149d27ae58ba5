//! Keys that are mistyped.

use agentv_syntax::{Code, Placed, Problem, nearest};

use super::notes::Notes;

/// Warns of keys that are almost one of the known ones. Other unknown keys are the user's own.
pub(super) fn check(map: &Placed, known: &[&'static str], notes: &mut Notes) {
    for field in map.fields() {
        let is_known = known.contains(&field.name.as_str()) || field.name.starts_with('$');
        if is_known {
            continue;
        }
        if let Some(near) = nearest(&field.name, known.iter().copied()) {
            let message = format!("unknown field `{}`", field.name);
            let problem = Problem::warning(Code::UnknownNear, field.span.clone(), message);
            notes
                .0
                .push(problem.hint(format!("did you mean `{near}`?")));
        }
    }
}
