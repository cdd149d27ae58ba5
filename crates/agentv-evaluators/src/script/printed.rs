//! The output of a script.

use super::error::ScriptError;

/// The number of characters from the end of stdout, and of stderr, that errors show.
const SHOWN: usize = 1_000;

/// The output of a script that succeeded.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(super) noun: &'static str,
    pub(crate) stdout: String,
    pub(super) stderr: String,
}

impl Printed {
    /// Returns the error that the output has this problem, with the end of the output.
    pub(crate) fn unusable(&self, problem: impl ToString) -> ScriptError {
        ScriptError::Unusable {
            noun: self.noun,
            problem: problem.to_string(),
            tail: tail(&self.stdout, &self.stderr),
        }
    }
}

/// Formats the end of stdout and of stderr for the end of an error message. Blank output is omitted.
pub(super) fn tail(stdout: &str, stderr: &str) -> String {
    let parts = [("stdout", stdout), ("stderr", stderr)];
    let parts = parts.map(|(name, text)| (name, ending(text)));
    let parts = parts.iter().filter(|(_, text)| !text.is_empty());
    parts
        .map(|(name, text)| format!("; {name}: {text}"))
        .collect()
}

/// Returns the end of a text, with `…` if something was cut off.
fn ending(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().rev().nth(SHOWN - 1) {
        None | Some((0, _)) => text.to_owned(),
        Some((start, _)) => format!("…{}", &text[start..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_output_is_shown_and_cut_between_letters() {
        assert_eq!(tail(" \n", ""), "");
        assert_eq!(tail("", "oh no\n"), "; stderr: oh no");
        assert_eq!(tail("half\n", "oh no\n"), "; stdout: half; stderr: oh no");
        let long = format!("{}end", "ä".repeat(2_000));
        let shown = ending(&long);
        assert!(shown.starts_with("…ä") && shown.ends_with("end"), "{shown}");
        assert_eq!(shown.chars().count(), SHOWN + 1);
    }

    #[test]
    fn a_problem_is_reported_with_the_output() {
        let printed = Printed {
            noun: "script",
            stdout: "all good\n".to_owned(),
            stderr: "warning: old".to_owned(),
        };
        assert_eq!(
            printed.unusable("printed no JSON").to_string(),
            "the script printed no JSON; stdout: all good; stderr: warning: old"
        );
    }
}
