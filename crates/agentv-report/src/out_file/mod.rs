//! The records of a run in a file that the user chooses.

pub(crate) mod csv;
mod format;
mod json;
mod jsonl;
mod reporter;
#[cfg(test)]
mod tests;
mod writer;
mod yaml;

pub use format::{ALL, Format};
pub use reporter::OutFile;
pub(crate) use writer::RecordWriter;
