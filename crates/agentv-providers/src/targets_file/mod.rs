//! What may be written in a `targets.yaml`, and the checks that a file must pass.

mod check;
mod command;
mod fields;
mod schema;

pub use check::check;
pub use schema::schema;
