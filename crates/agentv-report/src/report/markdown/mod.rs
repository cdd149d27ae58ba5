//! Markdown for a comment on a pull request: short, and with all foreign text escaped.

mod cases;
mod figures;
mod format;
#[cfg(test)]
mod tests;

pub(super) use format::FORMAT;
