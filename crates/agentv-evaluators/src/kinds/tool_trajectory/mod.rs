//! `tool_trajectory`: the target called the right tools.

mod alignment;
mod evaluator;
mod expected;
mod kind;
mod latency;

pub(crate) use kind::KIND;
