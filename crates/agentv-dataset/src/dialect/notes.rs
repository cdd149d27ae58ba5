//! The problems that a translation finds.

use std::ops::Range;

use agentv_syntax::{Code, Placed, PlacedField, Problem, Severity};

/// The problems of one case, or of the part of a suite outside its cases.
#[derive(Debug, Default, Clone)]
pub(crate) struct Notes(pub(crate) Vec<Problem>);

impl Notes {
    /// Returns the problems of one of several cases that come from the same test, counted from 0. An error refuses
    /// each of them. A warning is given once.
    pub(crate) fn of_case(&self, index: usize) -> Notes {
        let mut notes = self.clone();
        notes
            .0
            .retain(|problem| index == 0 || problem.severity != Severity::Warning);
        notes
    }

    /// Refuses something that the dialect has and we cannot honour.
    pub(crate) fn unsupported(&mut self, name: &str, span: Range<usize>, instead: &str) {
        let message = format!("`{name}` is not supported");
        self.0
            .push(Problem::error(Code::Unsupported, span, message).hint(instead));
    }

    /// Warns of something that has no effect here, and changes no verdict.
    pub(crate) fn unused(&mut self, field: &PlacedField) {
        let message = format!("`{}` is not used", field.name);
        self.0
            .push(Problem::warning(Code::NotUsed, field.span.clone(), message));
    }

    /// Warns of something that is not used, with the reason.
    pub(crate) fn unused_because(&mut self, field: &PlacedField, reason: &str) {
        let message = format!("`{}` is not used: {reason}", field.name);
        self.0
            .push(Problem::warning(Code::NotUsed, field.span.clone(), message));
    }

    /// Refuses a value of the wrong type.
    pub(crate) fn wrong_type(&mut self, value: &Placed, expected: &str) {
        let found = value.kind().described();
        let message = format!("expected {expected}, found {found}");
        self.0.push(Problem {
            expected: Some(expected.to_owned()),
            found: Some(found.to_owned()),
            ..Problem::error(Code::WrongType, value.span.clone(), message)
        });
    }
}
