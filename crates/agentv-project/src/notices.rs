//! Warnings for the caller to show.

use agentv_syntax::{Diagnostic, Severity};

/// Something that the user should know, and that stops nothing.
#[derive(Debug, Clone)]
pub enum Notice {
    /// A warning in words.
    Warning(String),
    /// A fact that the user may want to know.
    Note(String),
    /// A problem in a file.
    Problem(Box<Diagnostic>),
    /// A problem in a case. The case is skipped, and the other cases are used.
    SkippedCase(Box<Diagnostic>),
}

/// A receiver of [`Notice`]s. It gets each one as soon as it is known, in the order of the files.
///
/// A `Vec<Notice>` collects them.
pub trait Notices: Send {
    /// Takes one notice.
    fn notice(&mut self, notice: Notice);

    /// Takes a warning in words.
    fn warn(&mut self, message: String) {
        self.notice(Notice::Warning(message));
    }

    /// Takes a fact that the user may want to know.
    fn note(&mut self, message: String) {
        self.notice(Notice::Note(message));
    }

    /// Takes a problem in a file that is used with all its cases or not at all.
    fn problem(&mut self, diagnostic: Diagnostic) {
        self.notice(Notice::Problem(Box::new(diagnostic)));
    }

    /// Takes a problem in a file that is used without the cases that have errors.
    fn problem_or_skipped(&mut self, diagnostic: Diagnostic) {
        match diagnostic.severity() {
            Severity::Error => self.notice(Notice::SkippedCase(Box::new(diagnostic))),
            Severity::Fatal | Severity::Warning => self.problem(diagnostic),
        }
    }
}

impl Notices for Vec<Notice> {
    fn notice(&mut self, notice: Notice) {
        self.push(notice);
    }
}
