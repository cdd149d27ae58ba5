//! Warnings of a project, on standard error.

use agentv_project::{Notice, Notices};

use crate::diagnostics::DiagnosticPrinter;
use crate::output;

/// A receiver of notices that prints them on standard error.
pub(crate) struct StderrNotices {
    all_needed: DiagnosticPrinter,
    some_skipped: DiagnosticPrinter,
}

impl StderrNotices {
    pub(crate) fn new() -> StderrNotices {
        StderrNotices {
            all_needed: DiagnosticPrinter::for_checking(),
            some_skipped: DiagnosticPrinter::for_loading(),
        }
    }
}

impl Notices for StderrNotices {
    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Warning(message) => output::warning(&message),
            Notice::Note(message) => output::note(&message),
            Notice::Problem(diagnostic) => self.all_needed.print_error(&diagnostic),
            Notice::SkippedCase(diagnostic) => self.some_skipped.print_error(&diagnostic),
        }
    }
}
