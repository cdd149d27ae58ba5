//! The options of checks that compare texts.

use agentv_syntax::shape::{BOOL, FILLED};
use agentv_syntax::{Field, Form, Shape};

pub(crate) const IGNORE_CASE: Field = Field {
    name: "ignore_case",
    shape: &BOOL,
    doc: "Whether upper and lower case are the same, false unless given.",
};

pub(crate) const NEGATE: Field = Field {
    name: "negate",
    shape: &BOOL,
    doc: "Whether to turn the check round, so that it passes where it would fail.",
};

pub(crate) static TEXTS: Shape = Shape {
    expected: "an array of strings with at least one",
    forms: &[Form::List {
        items: &FILLED,
        at_least: 1,
    }],
};
