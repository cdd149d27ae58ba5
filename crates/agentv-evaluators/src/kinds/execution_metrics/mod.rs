//! `execution_metrics`: the target kept within limits on the way to its answer.

mod evaluator;
mod exploration;
mod kind;

pub(crate) use kind::KIND;
