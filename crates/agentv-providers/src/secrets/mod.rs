//! The secret values of targets, which must not be written anywhere.

mod address;
mod values;

pub(crate) use address::secret_parts;
pub(crate) use values::SecretValues;
