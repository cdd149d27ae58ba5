//! A page that is one file, for people: totals, every trial, and what was asked and answered.
//!
//! The page is a frame (`page`), and in it *blocks* of compressed JSON (`block`) that its script reads:
//!
//! - *facts*: what ran, and what it came to (`facts`), one block a page;
//! - *rows*: what lists, filters and sorts need of each trial, in columns (`columns`), a block for each
//!   share of a run (`part`);
//! - *details*: the records of a few hundred trials as they are written (`details`), read when one of
//!   them is opened.
//!
//! Nothing that a user, a dataset or a model wrote stands in the page outside of blocks.

mod block;
mod columns;
mod cut;
mod details;
mod evaluators;
mod facts;
mod format;
mod page;
mod part;
mod parts;
mod sample;
mod sources;
#[cfg(test)]
mod tests;
mod transcripts;

pub(super) use format::FORMAT;
