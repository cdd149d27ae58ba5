//! The cases of an eval file that are skipped, with the reasons.

use agentv_core::SkippedCase;
use agentv_syntax::{Diagnostic, Severity};

/// The number of cases that are kept.
const MOST: usize = 100;
/// The number of bytes that are kept of the errors of a case.
const LONGEST: usize = 1_000;

/// The first skipped cases of a file.
#[derive(Debug, Default)]
pub(crate) struct SkippedCases(Vec<SkippedCase>);

impl SkippedCases {
    /// Adds an error of a case. Errors of the same case are kept together.
    pub(crate) fn add(&mut self, diagnostic: &Diagnostic) {
        if diagnostic.severity() != Severity::Error {
            return;
        }
        let Diagnostic {
            line,
            case,
            case_id,
            ..
        } = diagnostic;
        let message = diagnostic.to_string();
        let is_same = |last: &&mut SkippedCase| match case {
            Some(_) => last.id == *case,
            None => last.id == *case_id && last.line == *line,
        };
        if let Some(last) = self.0.last_mut().filter(is_same) {
            join(last, &message);
        } else if self.0.len() < MOST {
            self.0.push(SkippedCase {
                line: *line,
                id: case_id.clone(),
                message: clipped(message),
            });
        }
    }

    /// Removes the cases that do not meet a condition.
    pub(crate) fn retain(&mut self, is_kept: impl FnMut(&SkippedCase) -> bool) {
        self.0.retain(is_kept);
    }

    /// Returns the cases, `skipped` at most: errors on several lines may be of one case without an id.
    pub(crate) fn listed(&self, skipped: u64) -> Vec<SkippedCase> {
        let most = usize::try_from(skipped).unwrap_or(usize::MAX);
        let mut listed = self.0.clone();
        let others = listed.split_off(most.min(listed.len()));
        if let Some(last) = listed.last_mut() {
            others.iter().for_each(|other| join(last, &other.message));
        }
        listed
    }
}

fn join(case: &mut SkippedCase, message: &str) {
    let joined = format!("{}; {message}", case.message);
    case.message = clipped(joined);
}

fn clipped(mut message: String) -> String {
    message.truncate(message.floor_char_boundary(LONGEST));
    message
}
