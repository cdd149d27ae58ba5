//! Runs in the formats of other tools.

mod otlp;
mod spans;

pub use otlp::{ExportError, write_otlp};
