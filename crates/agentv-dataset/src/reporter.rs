//! Passes the diagnostics of a check to its caller.

use std::collections::HashSet;
use std::ops::ControlFlow;

use agentv_syntax::{Code, Diagnostic, Severity};

/// A filter that passes on diagnostics, but repeated warnings only once.
pub(crate) struct Reporter<'r> {
    report: &'r mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send),
    pub(crate) fatal: bool,
    pub(crate) stopped: bool,
    /// Warnings that were given: the same slip on a million lines is one warning.
    once: HashSet<(Code, String, String)>,
}

impl<'r> Reporter<'r> {
    pub(crate) fn new(
        report: &'r mut (dyn FnMut(Diagnostic) -> ControlFlow<()> + Send),
    ) -> Reporter<'r> {
        Reporter {
            report,
            fatal: false,
            stopped: false,
            once: HashSet::new(),
        }
    }

    pub(crate) fn send(&mut self, diagnostic: Diagnostic) {
        if self.stopped || self.was_said(&diagnostic) {
            return;
        }
        self.fatal |= diagnostic.severity() == Severity::Fatal;
        self.stopped = (self.report)(diagnostic).is_break();
    }

    fn was_said(&mut self, diagnostic: &Diagnostic) -> bool {
        const REMEMBERED: usize = 1_000;
        if diagnostic.severity() != Severity::Warning || self.once.len() >= REMEMBERED {
            return false;
        }
        let path: String = diagnostic
            .problem
            .path
            .chars()
            .filter(|letter| !letter.is_ascii_digit())
            .collect();
        let said = (diagnostic.code(), path, diagnostic.problem.message.clone());
        !self.once.insert(said)
    }

    pub(crate) fn flow(&self) -> ControlFlow<()> {
        if self.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
