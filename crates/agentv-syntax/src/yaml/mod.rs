//! Reads one YAML document into a [`Tree`](crate::Tree).
//!
//! Plain scalars follow YAML 1.2's core schema, so `yes`, `on` and `2024-01-01` are strings, and so
//! is `012`: an id or a postcode keeps its zero. Aliases and merge keys (`<<`) are expanded, within
//! a budget that grows with the file, so that a short file cannot become a huge value.

mod error;
mod flatten;
mod offsets;
mod parse;
mod reader;
mod scalar;
#[cfg(test)]
mod tests;

pub use error::{BrokenEscape, InvalidYaml};
pub use parse::{parse, parse_with_broken_escapes};
