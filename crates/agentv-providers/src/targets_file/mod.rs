//! The format of `targets.yaml`: its shape, its schema, and its checks.

mod check;
mod command;
mod fields;
mod schema;
mod shape;

pub use check::check;
pub use schema::schema;
pub use shape::{REGISTRY, TARGETS_FILE};
