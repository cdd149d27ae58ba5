//! The format `html`: a page that is one file.

use std::io::Write;

use super::facts::{Facts, RunFacts};
use super::sample::Sample;
use super::sources::Sources;
use super::{block, page, parts};
use crate::report::{ReportFailure, ReportFormat};
use crate::results::RunResults;

pub(crate) const FORMAT: ReportFormat = ReportFormat {
    name: "html",
    extension: "html",
    doc: "A page to read, filter and share: one run, or two side by side",
    most_runs: 2,
    write,
};

/// The largest number of trials of a run on a page.
const MOST_TRIALS: usize = 100_000;

fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    write_with(runs, MOST_TRIALS, out)
}

pub(super) fn write_with(
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
