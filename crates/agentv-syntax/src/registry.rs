//! The families of kinds that shapes refer to.

use crate::code::Code;
use crate::problem::Problem;
use crate::shape::{Kind, Record};
use crate::tree::Node;

/// The kinds of one family. One field names the kind of an object.
#[derive(Debug)]
pub struct Registry {
    /// `evaluator` or `provider`.
    pub noun: &'static str,
    /// The field that names the kind.
    pub tag: &'static str,
    /// The fields that all kinds have.
    pub common: &'static Record,
    /// The kinds.
    pub kinds: &'static [&'static Kind],
    /// Is true if `camelCase` names stand for `snake_case` ones.
    pub camel_case: bool,
    /// The code of an unknown kind.
    pub unknown: Code,
    /// Checks options that are each correct, but may not fit together. The path of a problem starts at
    /// the options.
    pub check: Option<fn(&Kind, Node<'_>) -> Option<Problem>>,
}

impl Registry {
    /// Returns the kind that users call `name`.
    pub fn kind(&self, name: &str) -> Option<&'static Kind> {
        self.named(name).map(|(_, kind)| kind)
    }

    /// Returns the kind that users call `name`, and that name.
    pub(crate) fn named(&self, name: &str) -> Option<(&'static str, &'static Kind)> {
        self.kinds.iter().find_map(|kind| {
            let mut names = std::iter::once(&kind.name).chain(kind.aliases);
            Some((*names.find(|known| **known == name)?, *kind))
        })
    }

    /// Returns every name that a kind answers to.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds
            .iter()
            .flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().copied()))
    }
}

/// The families of kinds that shapes refer to.
#[derive(Debug, Clone, Copy)]
pub struct Definitions {
    /// The evaluators.
    pub evaluators: &'static Registry,
    /// The providers of targets.
    pub targets: &'static Registry,
}
