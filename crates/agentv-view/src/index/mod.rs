//! The index of a run: where each record is, and what lists, filters and sorting need to know.
//!
//! A run folder has two files with a line per trial. Reading them takes seconds if there are a million
//! trials, so it happens once. For each trial, the index holds a [`Row`] of fixed size in memory; its
//! texts are in two files, which are searched from the disk. The index is kept beside the run, and is
//! built again if the files of the run are not those that it was built from.
//!
//! ```text
//! results.jsonl     ──▶ ResultLine ──────────▶ Row, words ──────┐
//!                                                               ├─▶ RunIndex ──▶ Query ──▶ rows
//! transcripts.jsonl ──▶ TranscriptQuestion ──▶ place, question ─┘       └──▶ byte ranges of the records
//! ```
//!
//! While a run grows, [`RunIndex::update`] reads only the new lines. A later line of the same trial
//! replaces the earlier one, in the same row.

mod error;
mod joins;
mod names;
mod part;
mod pieces;
mod query;
mod result_line;
mod row;
mod run_index;
mod stamp;
mod stored;
#[cfg(test)]
mod tests;
mod texts;
mod update;

pub use error::IndexError;
pub use names::Names;
pub use query::{Filter, Query, Sort};
pub use row::{Row, TranscriptPlace};
pub use run_index::{Records, RunIndex, TrialName, TrialRow};
