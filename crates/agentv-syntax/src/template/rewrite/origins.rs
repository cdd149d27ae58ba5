//! The names in a template that have text of untrusted variables.

use std::collections::BTreeMap;

use minijinja::machinery::ast::{CallArg, Expr};

/// Names, and the untrusted variables that their values come from.
///
/// A name that has text from others anywhere in a template counts as having it everywhere.
pub(super) struct Origins<'a> {
    by_name: BTreeMap<&'a str, &'a str>,
}

impl<'a> Origins<'a> {
    /// Returns the origins at the start of a template.
    pub(super) fn of(untrusted: &[&'a str]) -> Origins<'a> {
        Origins {
            by_name: untrusted.iter().map(|name| (*name, *name)).collect(),
        }
    }

    /// Returns the number of names.
    pub(super) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Notes the origin of a value that is assigned to a name, or to several.
    pub(super) fn assign(&mut self, target: &Expr<'a>, value: &Expr<'a>) {
        if let Some(origin) = self.get(value) {
            self.note(target, origin);
        }
    }

    /// Notes the origin of the values of a loop.
    pub(super) fn assign_loop(&mut self, target: &Expr<'a>, values: &Expr<'a>) {
        if let Some(origin) = self.get(values) {
            self.note(target, origin);
            self.by_name.entry("loop").or_insert(origin);
        }
    }

    fn note(&mut self, target: &Expr<'a>, origin: &'a str) {
        match target {
            Expr::Var(name) => drop(self.by_name.entry(name.id).or_insert(origin)),
            Expr::List(list) => list.items.iter().for_each(|item| self.note(item, origin)),
            Expr::Tuple(tuple) => tuple.items.iter().for_each(|item| self.note(item, origin)),
            _ => {}
        }
    }

    /// Returns the first untrusted variable whose text may be in a value.
    pub(super) fn get(&self, value: &Expr<'a>) -> Option<&'a str> {
        match value {
            Expr::Var(name) => self.by_name.get(name.id).copied(),
            // They give no text.
            Expr::Const(_) | Expr::Compare(_) | Expr::Test(_) => None,
            Expr::Slice(slice) => self.get(&slice.expr),
            Expr::UnaryOp(unary) => self.get(&unary.expr),
            Expr::BinOp(both) => self.get(&both.left).or_else(|| self.get(&both.right)),
            Expr::IfExpr(choice) => {
                let otherwise = || self.get(choice.false_expr.as_ref()?);
                self.get(&choice.true_expr).or_else(otherwise)
            }
            Expr::Filter(filter) => {
                let filtered = filter.expr.as_ref().and_then(|inner| self.get(inner));
                filtered.or_else(|| self.first_argument(&filter.args))
            }
            Expr::GetAttr(attribute) => match &attribute.expr {
                Expr::Var(name) if name.id == "loop" && !attribute.name.ends_with("item") => None,
                object => self.get(object),
            },
            Expr::GetItem(item) => self.get(&item.expr),
            Expr::Call(call) => {
                let called = self.get(&call.expr);
                called.or_else(|| self.first_argument(&call.args))
            }
            Expr::List(list) => self.first(&list.items),
            Expr::Tuple(tuple) => self.first(&tuple.items),
            Expr::Map(map) => self.first(&map.keys).or_else(|| self.first(&map.values)),
        }
    }

    fn first(&self, values: &[Expr<'a>]) -> Option<&'a str> {
        values.iter().find_map(|value| self.get(value))
    }

    fn first_argument(&self, arguments: &[CallArg<'a>]) -> Option<&'a str> {
        arguments.iter().find_map(|argument| match argument {
            CallArg::Pos(value)
            | CallArg::Kwarg(_, value)
            | CallArg::PosSplat(value)
            | CallArg::KwargSplat(value) => self.get(value),
        })
    }
}
