//! The names of filters, tests and functions in a template, checked when it is parsed.

use minijinja::machinery::ast::{CallArg, Expr};

use super::error::TemplateError;
use super::filters::{FUNCTIONS, filter_names, test_names};
use crate::nearest;

/// The methods of `loop`. Other values have none.
const LOOP_METHODS: &[&str] = &["changed", "cycle"];

/// Filters and functions of Jinja that make much of little, or fail instead of refusing.
const UNBOUNDED: &[&str] = &[
    "batch",
    "chain",
    "debug",
    "dict",
    "format",
    "indent",
    "map",
    "namespace",
    "pprint",
    "slice",
    "string",
    "sum",
    "zip",
];

/// Filters that take the name of a test, and the place of this argument.
const TESTING: &[(&str, usize)] = &[
    ("select", 0),
    ("reject", 0),
    ("selectattr", 1),
    ("rejectattr", 1),
];

/// Checks the name of a filter, and that of the test that it applies.
///
/// # Errors
/// Fails if one of them does not exist.
pub(super) fn check_filter(
    name: &str,
    arguments: &[CallArg<'_>],
    line: usize,
) -> Result<(), TemplateError> {
    check("filter", name, filter_names(), line)?;
    let testing = TESTING.iter().find(|(filter, _)| *filter == name);
    let argument = testing.and_then(|(_, place)| arguments.get(*place));
    match argument {
        Some(CallArg::Pos(Expr::Const(test))) => match test.value.as_str() {
            Some(test) => check_test(test, line),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Checks the name of a test.
///
/// # Errors
/// Fails if there is no such test.
pub(super) fn check_test(name: &str, line: usize) -> Result<(), TemplateError> {
    check("test", name, test_names(), line)
}

/// Checks what a call calls: a function, or a method of `loop`.
///
/// # Errors
/// Fails if it does not exist.
pub(super) fn check_call(called: &Expr<'_>, line: usize) -> Result<(), TemplateError> {
    match called {
        Expr::Var(function) => check("function", function.id, FUNCTIONS, line),
        Expr::GetAttr(method) if LOOP_METHODS.contains(&method.name) => Ok(()),
        Expr::GetAttr(method) if filter_names().contains(&method.name) => {
            let name = method.name;
            let reason = format!("unknown method `{name}()`: write the filter `|{name}`");
            Err(TemplateError::at(line, reason))
        }
        Expr::GetAttr(method) => check("method", method.name, LOOP_METHODS, line),
        _ => Err(TemplateError::refused(line, "calls of values")),
    }
}

fn check(noun: &str, name: &str, known: &[&'static str], line: usize) -> Result<(), TemplateError> {
    if known.contains(&name) {
        return Ok(());
    }
    if UNBOUNDED.contains(&name) {
        let what = format!("the {noun} `{name}`, whose result can be of any size");
        return Err(TemplateError::refused(line, what));
    }
    let advice = match nearest(name, known.iter().copied()) {
        Some(guess) => format!("did you mean `{guess}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    let reason = format!("unknown {noun} `{name}`: {advice}");
    Err(TemplateError::at(line, reason))
}
