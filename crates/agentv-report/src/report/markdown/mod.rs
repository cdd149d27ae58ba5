//! Markdown for the comment on a pull request: short, and nothing in it that others can make act.

mod cases;
mod figures;
mod format;
#[cfg(test)]
mod tests;

pub(super) use format::FORMAT;
