//! A dialect.

use std::path::Path;

use agentv_syntax::{Node, Placed};

use super::source::Translation;

/// A dialect: how its suites are recognised and translated.
pub(crate) struct Dialect {
    /// The name, as in "a suite of AgentV 4".
    pub(crate) name: &'static str,
    /// The name of its schema, which `$schema` may hold.
    pub(crate) schema: &'static str,
    /// All keys of a suite.
    pub(crate) suite_keys: &'static [&'static str],
    /// All keys of a case.
    pub(crate) keys_of_cases: &'static [&'static str],
    /// The key of the assertions of a case.
    pub(crate) assertions_key: &'static str,
    /// The types of assertions.
    pub(crate) assertions: fn() -> Vec<&'static str>,
    /// The top-level keys that only suites of this dialect have.
    pub(crate) own_keys: &'static [&'static str],
    /// The top-level keys that hold its cases.
    pub(crate) case_keys: &'static [&'static str],
    /// Other top-level keys that suggest this dialect.
    pub(crate) hints: &'static [&'static str],
    /// Checks if an element of its cases is surely one, and not that of a file of some other tool.
    pub(crate) is_case: fn(Node<'_>) -> bool,
    /// Returns the key by which a suite, perhaps in a file, is of this dialect.
    pub(crate) recognised: for<'t> fn(Node<'t>, Option<&Path>) -> Option<Node<'t>>,
    /// True if a case without assertions is right: it is asked, and not graded.
    pub(crate) allows_ungraded: bool,
    /// Turns a suite into one of ours.
    pub(crate) translate: fn(&mut Translation<'_>, Placed) -> Placed,
}

impl Dialect {
    /// Checks if a case without assertions is right.
    pub(crate) fn may_be_ungraded(&self) -> bool {
        self.allows_ungraded
    }
}
