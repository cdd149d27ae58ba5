//! What a command wrote, read as it is when the command has ended: for the fuzz targets.

pub use crate::answer::of_output;
pub use crate::cli::of_batch;
