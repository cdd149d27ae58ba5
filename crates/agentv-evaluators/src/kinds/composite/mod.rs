//! `composite`: several evaluators as one.
//!
//! Its `Member`s judge concurrently, and an `Aggregator` combines their results.

mod aggregator;
mod check;
mod evaluator;
mod facts;
mod kind;
mod members;

pub(crate) use kind::KIND;

/// The maximum nesting of composites, so that records of them can be read back.
const MOST_NESTED: usize = 16;
