//! Filters around the values that an operation touches, which pay for them.

use minijinja::machinery::ast::{self, CallArg, Expr, Spanned};

use super::super::operators::READ;

/// Longest text in a template that counts as short, in bytes.
const SHORT: usize = 64;

/// Applies one of the filters of [`operators`](super::super::operators) to a value.
pub(super) fn paid<'a>(filter: &'static str, value: Expr<'a>) -> Expr<'a> {
    if is_number(&value) || (filter == READ && is_short(&value)) {
        return value;
    }
    let span = value.span();
    let applied = ast::Filter {
        name: filter,
        expr: Some(value),
        args: Vec::new(),
    };
    Expr::Filter(Spanned::new(applied, span))
}

pub(super) fn paid_argument<'a>(argument: CallArg<'a>) -> CallArg<'a> {
    match argument {
        CallArg::Pos(value) => CallArg::Pos(paid(READ, value)),
        other => other,
    }
}

pub(super) fn is_number(expression: &Expr<'_>) -> bool {
    matches!(expression, Expr::Const(constant) if constant.value.is_number())
}

/// Checks if a value is written in the template and costs next to nothing to compare with.
pub(super) fn is_short(expression: &Expr<'_>) -> bool {
    let Expr::Const(constant) = expression else {
        return false;
    };
    match constant.value.as_str() {
        Some(text) => text.len() <= SHORT,
        None => !matches!(
            constant.value.kind(),
            minijinja::value::ValueKind::Seq | minijinja::value::ValueKind::Map
        ),
    }
}
