//! `field_accuracy`: fields of a structured answer have the expected values.

mod answer;
mod comparison;
mod date;
mod evaluator;
mod kind;
mod number;
mod path;
mod prose;

pub(crate) use kind::KIND;
