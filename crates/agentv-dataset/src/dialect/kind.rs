//! A dialect.

use agentv_syntax::{Node, Placed};

use super::source::Translation;

/// A dialect: how its suites are recognised and translated.
pub(crate) struct Dialect {
    /// The name, as in "a suite of AgentV 4".
    pub(crate) name: &'static str,
    /// The top-level keys that only suites of this dialect have.
    pub(crate) own_keys: &'static [&'static str],
    /// The top-level keys that hold its cases.
    pub(crate) case_keys: &'static [&'static str],
    /// Other top-level keys that suggest this dialect.
    pub(crate) hints: &'static [&'static str],
    /// Checks if an element of its cases is surely one, and not that of a file of some other tool.
    pub(crate) is_case: fn(Node<'_>) -> bool,
    /// Turns a suite into one of ours.
    pub(crate) translate: fn(&mut Translation<'_>, Placed) -> Placed,
}
