//! The output of a script.

use super::error::ScriptError;
use crate::words::cut;

/// The number of characters from the end of stderr that errors show.
const TOLD_STDERR: usize = 1_000;
/// The number of characters from the start of stdout that errors show.
const TOLD_STDOUT: usize = 200;

/// The output of a script that succeeded.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(super) noun: &'static str,
    pub(crate) stdout: String,
    pub(super) stderr: String,
}

impl Printed {
    /// Returns the error that the output has this problem, with the start of the output.
    pub(crate) fn unusable(&self, problem: impl ToString) -> ScriptError {
        let stdout = self.stdout.trim();
        let stdout = match stdout {
            "" => String::new(),
            _ => format!("; it printed `{}`", cut(stdout, TOLD_STDOUT)),
        };
        let stderr = match ending(&self.stderr).as_str() {
            "" => String::new(),
            ending => format!("; stderr{ending}"),
        };
        ScriptError::Unusable {
            noun: self.noun,
            problem: problem.to_string(),
            stdout,
            stderr,
        }
    }
}

/// Formats the end of stderr for the end of an error message.
pub(super) fn ending(stderr: &str) -> String {
    let stderr = stderr.trim();
    let start = stderr.char_indices().rev().nth(TOLD_STDERR - 1);
    match (stderr, start) {
        ("", _) => String::new(),
        (all, None | Some((0, _))) => format!(": {all}"),
        (all, Some((start, _))) => format!(": …{}", &all[start..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_stderr_is_told_and_cut_between_letters() {
        assert_eq!(ending(" \n"), "");
        assert_eq!(ending("oh no\n"), ": oh no");
        let long = format!("{}end", "ä".repeat(2_000));
        let told = ending(&long);
        assert!(told.starts_with(": …ä") && told.ends_with("end"), "{told}");
        assert_eq!(told.chars().count(), TOLD_STDERR + 3);
    }

    #[test]
    fn what_is_wrong_is_told_with_what_was_printed() {
        let printed = Printed {
            noun: "script",
            stdout: "all good\n".to_owned(),
            stderr: "warning: old".to_owned(),
        };
        assert_eq!(
            printed.unusable("printed no JSON").to_string(),
            "the script printed no JSON; it printed `all good`; stderr: warning: old"
        );
    }
}
