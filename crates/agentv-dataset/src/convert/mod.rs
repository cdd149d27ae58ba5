//! Converts one format into another, without losing a field.

mod agentmark;
mod comments;
mod conversion;
mod error;
mod json_array;
mod options;
mod paths;
mod rows;
mod sidecar;
mod write;

pub use conversion::convert;
pub use error::{ConvertError, Loss};
pub use options::{Conversion, ConvertOptions, Converted};
