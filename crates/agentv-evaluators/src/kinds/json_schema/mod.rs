//! `json_schema`: the answer is JSON that a schema allows.

mod evaluator;
mod expansion;
mod kind;
mod schema;

pub(crate) use kind::KIND;
