//! The variables that a template uses without having set them.

use std::collections::BTreeSet;

use minijinja::machinery::ast::Expr;

/// The names that are set so far, and the variables that are used.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    set: Vec<Vec<&'a str>>,
    used: BTreeSet<&'a str>,
}

impl<'a> Scopes<'a> {
    /// Returns the scopes at the start of a template.
    pub(super) fn new() -> Scopes<'a> {
        Scopes {
            set: vec![Vec::new()],
            used: BTreeSet::new(),
        }
    }

    /// Starts a scope, whose names are forgotten at its end.
    pub(super) fn push(&mut self) {
        self.set.push(Vec::new());
    }

    /// Ends the innermost scope.
    pub(super) fn pop(&mut self) {
        self.set.pop();
    }

    /// Notes the names that an assignment sets.
    pub(super) fn set(&mut self, target: &Expr<'a>) {
        match target {
            Expr::Var(name) => self.set_name(name.id),
            Expr::List(list) => list.items.iter().for_each(|item| self.set(item)),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.set(item)),
            _ => {}
        }
    }

    /// Notes one name as set.
    pub(super) fn set_name(&mut self, name: &'a str) {
        self.set
            .last_mut()
            .into_iter()
            .for_each(|names| names.push(name));
    }

    /// Notes a name as used.
    pub(super) fn use_name(&mut self, name: &'a str) {
        if !self.set.iter().any(|names| names.contains(&name)) {
            self.used.insert(name);
        }
    }

    /// Returns the names that were used without being set, in order.
    pub(super) fn into_used(self) -> BTreeSet<&'a str> {
        self.used
    }
}
