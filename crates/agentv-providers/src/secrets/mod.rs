//! The secret values of targets, which must not be written anywhere.

mod address;
mod parts;
mod values;

pub use values::OpenValue;
pub(crate) use values::SecretValues;
