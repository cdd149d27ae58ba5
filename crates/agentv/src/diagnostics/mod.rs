//! Diagnostics for people, editors and GitHub. Each format is one file here.

mod github;
mod json;
mod printer;
mod text;

pub(crate) use printer::DiagnosticPrinter;
