//! The families of kinds that shapes refer to.

use crate::code::Code;
use crate::problem::Problem;
use crate::shape::{Field, Kind, Record};
use crate::tree::Node;

/// The kinds of one family, told apart by the value of one field.
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
    /// Whether `camelCase` names stand for `snake_case` ones.
    pub camel_case: bool,
    /// The code of an unknown kind.
    pub unknown: Code,
    /// What is wrong with options that are right each by itself, but not together. The path of a
    /// problem starts at the options.
    pub check: Option<fn(&Kind, Node<'_>) -> Option<Problem>>,
}

impl Registry {
    /// The kind that users call `name`.
    pub fn kind(&self, name: &str) -> Option<&'static Kind> {
        self.kinds
            .iter()
            .copied()
            .find(|kind| kind.answers_to(name))
    }

    /// Every name that a kind answers to.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds
            .iter()
            .flat_map(|kind| std::iter::once(kind.name).chain(kind.aliases.iter().copied()))
    }

    pub(crate) fn field(&self, kind: &Kind, name: &str) -> Option<&'static Field> {
        self.common.field(name).or_else(|| kind.options.field(name))
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
