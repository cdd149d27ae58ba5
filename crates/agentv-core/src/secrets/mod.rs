//! Secrets: values that must not be written anywhere, and the rule that distinguishes them from other values.

mod hidden_values;
mod name;
mod reading;
mod rule;

pub use hidden_values::Secrets;
