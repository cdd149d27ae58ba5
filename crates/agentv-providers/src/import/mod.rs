//! Recordings made from the files of other tools: sessions of agents, traces, and logs.
//!
//! Each source is a file here and a line in [`SOURCES`]. It turns the content of a file into answers, which
//! `replay` and `grade` accept.

mod answer;
mod archive;
mod claude;
mod codex;
mod error;
mod gemini;
mod inspect;
mod otlp;
mod sessions;
mod source;

pub use answer::ImportedAnswer;
pub use error::ImportError;
pub use source::ImportSource;

/// Every source of recordings.
pub const SOURCES: &[&ImportSource] = &[
    &claude::SOURCE,
    &codex::SOURCE,
    &gemini::SOURCE,
    &otlp::SOURCE,
    &inspect::SOURCE,
];
