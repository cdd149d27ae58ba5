//! Shell lines with placeholders, whose values the shell never reads as a part of the line.
//!
//! In the line that the shell gets, each placeholder is a reference to a variable of its environment:
//! `{PROMPT}` becomes `"${AGENTV_PROMPT}"`. The value of a variable is not parsed as shell syntax, so
//! nothing in it is run, even if the scanner mistakes one quote for another. The scanner decides
//! which quotes a reference needs to stay one word, and refuses places where no quotes can do that
//! and places where shells evaluate values.

mod command;
mod line;
mod quotes;
#[cfg(test)]
mod tests;

pub(super) use command::ShellCommand;
pub(crate) use line::ShellLine;
