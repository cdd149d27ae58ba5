//! Warnings of a project, on standard error.

use agentv_project::{Notice, Notices};

use crate::diagnostics::Teller;
use crate::output;

/// A receiver of notices that prints them on standard error.
pub(crate) struct StderrNotices {
    all_needed: Teller,
    some_skipped: Teller,
}

impl StderrNotices {
    pub(crate) fn new() -> StderrNotices {
        StderrNotices {
            all_needed: Teller::for_checking(),
            some_skipped: Teller::for_loading(),
        }
    }
}

impl Notices for StderrNotices {
    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Warning(message) => output::warning(&message),
            Notice::Problem(diagnostic) => self.all_needed.tell_error(&diagnostic),
            Notice::SkippedCase(diagnostic) => self.some_skipped.tell_error(&diagnostic),
        }
    }
}
