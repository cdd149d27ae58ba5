//! A page in a single file, for people: totals, every trial, questions and answers.
//!
//! The page is a frame (`page`) with *blocks* of compressed JSON (`block`) that its script reads:
//!
//! - *facts*: the run and its figures (`facts`), one block per page;
//! - *rows*: the data of each trial for lists, filters and sorting, in columns (`columns`), one
//!   block per part of a run (`part`);
//! - *details*: the complete records of a few hundred trials (`details`), read when one of them is
//!   opened.
//!
//! Texts of users, datasets and models appear only inside of blocks.

mod block;
mod columns;
mod cut;
mod details;
mod evaluators;
mod facts;
mod format;
pub mod page;
mod part;
mod parts;
mod sample;
mod site;
mod sources;
#[cfg(test)]
mod tests;
mod transcripts;
mod whole_facts;

pub use facts::RunFacts;
pub(super) use format::FORMAT;
pub use site::{SiteLink, TrialsPage, write_runs_page};
