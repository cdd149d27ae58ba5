//! Templates that come with a case, filled in bounded time and memory.
//!
//! Four limits hold for one filling: the steps of the interpreter ([`fill`]), the bytes that filters and
//! operators handle, the size of the text, and the time ([`meter`]). minijinja counts steps only, so
//! [`rewrite`] makes every operation that can touch a long value pay for it first. Before a template is
//! parsed, [`size`] refuses one that is too deep for the stack.
//!
//! A template compares and loops over real values. Where it writes text that others wrote, the text gets
//! tags around it ([`tags`]).

mod error;
mod fill;
mod filters;
mod meter;
mod names;
mod operators;
mod rewrite;
mod scopes;
mod size;
mod tags;
#[cfg(test)]
mod tests;

pub use error::TemplateError;
pub use fill::{Missing, Template};
pub use tags::{Tag, Untrusted};
