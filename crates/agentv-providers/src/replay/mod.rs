//! Recorded answers as a target.

mod answer_line;
mod error;
mod index;
mod line;
mod provider;
mod recording;
mod source;

pub(crate) use provider::build;
