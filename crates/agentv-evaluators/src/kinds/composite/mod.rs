//! `composite`: several evaluators as one.
//!
//! Its `Member`s are asked side by side, and an `Aggregator` makes one evaluation of what they say.

mod aggregator;
mod check;
mod evaluator;
mod facts;
mod kind;
mod members;

pub(crate) use kind::KIND;

/// How deep composites may stand in each other: what a record holds of them must be readable again.
const MOST_NESTED: usize = 16;
