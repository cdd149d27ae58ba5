//! The format `html`: a page that is one file.

use std::io::Write;

use super::site::TrialsPage;
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
    let page = TrialsPage {
        runs,
        most_trials,
        files: None,
        links: &[],
    };
    page.write(out)
}
