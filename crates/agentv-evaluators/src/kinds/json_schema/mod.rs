//! `json_schema`: the answer is JSON that a schema allows.

mod evaluator;
mod expansion;
mod formats;
mod kind;
mod schema;

pub(super) use evaluator::schema_of;
pub(crate) use kind::KIND;
pub(super) use kind::{SCHEMA, files as schema_files};
