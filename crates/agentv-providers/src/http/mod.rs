//! Any HTTP endpoint as a target.

mod body;
mod json_template;
mod path;
mod provider;
mod read;
mod template;

pub(crate) use provider::build;
