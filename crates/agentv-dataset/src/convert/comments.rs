//! Comments in a converted suite, for what could not be carried over.

use agentv_syntax::{Code, Diagnostic};

use crate::dataset::Dataset;
use crate::format::WrittenRow;

/// Checks if a problem is a construct without a counterpart.
pub(super) fn is_omitted(diagnostic: &Diagnostic) -> bool {
    diagnostic.code() == Code::Unsupported
}

/// Returns the comments on a suite as a whole: those that are given, and everything that is not carried over.
pub(super) fn of_suite(dataset: &Dataset, given: &[String]) -> String {
    let given = given.iter().map(|line| line_of(line, ""));
    let omitted = dataset.header_diagnostics().iter();
    let omitted = omitted
        .filter(|it| is_lost(it.code()))
        .map(|it| line_of(&said(it), ""));
    given.chain(omitted).collect()
}

/// Returns the comments on a case.
pub(super) fn of_case(row: &WrittenRow<'_>) -> String {
    let lost = row
        .problems()
        .iter()
        .filter(|problem| is_lost(problem.code));
    let lost = lost.map(|problem| row.place(problem.clone()));
    lost.map(|diagnostic| line_of(&said(&diagnostic), "  "))
        .collect()
}

fn is_lost(code: Code) -> bool {
    matches!(code, Code::Unsupported | Code::NotUsed)
}

fn said(diagnostic: &Diagnostic) -> String {
    let line = diagnostic
        .line
        .map(|line| format!("line {line}: "))
        .unwrap_or_default();
    let hint = diagnostic.problem.hint.as_deref();
    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!(
        "Not carried over: {line}{}{hint}",
        diagnostic.problem.message
    )
}

fn line_of(text: &str, indent: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    match text.trim_end() {
        "" => format!("{indent}#\n"),
        text => format!("{indent}# {text}\n"),
    }
}
