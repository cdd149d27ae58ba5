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
mod page;
mod part;
mod parts;
mod sample;
mod sources;
#[cfg(test)]
mod tests;
mod transcripts;

use std::io::Write;

use self::facts::{Facts, RunFacts};
use self::sample::Sample;
use self::sources::Sources;
use super::{ReportFailure, ReportFormat};
use crate::results::RunResults;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "html",
    extension: "html",
    doc: "For people: a page to read, filter and share, of one run or of two side by side",
    most_runs: 2,
    write,
};

/// The most trials of a run that a page shows.
const MOST_TRIALS: usize = 100_000;

fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    write_with(runs, MOST_TRIALS, out)
}

fn write_with(
    runs: &[RunResults],
    most_trials: usize,
    out: &mut dyn Write,
) -> Result<(), ReportFailure> {
    let sources = runs.iter().map(Sources::of);
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let sample = Sample::of(sources.iter().map(|source| &source.results), most_trials)?;
    page::write_head(out)?;
    let mut facts = Facts::default();
    for (index, source) in sources.iter().enumerate() {
        let whole = parts::write(source, index, &sample, out)?;
        source.run.found_damaged(whole.damaged);
        facts.runs.push(RunFacts::of(source.run, whole));
    }
    block::write(out, "facts", &block::packed_json(&facts)?)?;
    page::write_end(out)?;
    out.flush()?;
    Ok(())
}
