//! The format `markdown`.

use std::io::Write;

use crate::markdown_text::code;
use crate::report::exchange::Exchanges;
use crate::report::{ReportFailure, ReportFormat};
use crate::results::RunResults;
use crate::run_fold::RunFold;
use crate::run_statistics::RunStatistics;
use crate::summary::Summary;

use super::cases::Cases;
use super::figures;

pub(crate) const FORMAT: ReportFormat = ReportFormat {
    name: "markdown",
    extension: "md",
    doc: "For pull request comments: totals and failures; for two runs, also the difference",
    most_runs: 2,
    write,
};

/// The largest size of a report. GitHub allows comments of 65,536 characters; counting bytes is
/// conservative, and a workflow has some room for its own text.
pub(super) const LONGEST: usize = 64_000;

/// Writes the report of the last run; with two runs, including the differences from the first.
fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    let Some((run, before)) = runs.split_last() else {
        return Ok(());
    };
    let before = before.first();
    let base = before.map(RunResults::summary).transpose()?;
    let (summary, statistics, cases) = read(run)?;
    let mut text = figures::headline(&summary, run.not_run(summary.trials));
    text.push_str(&figures::table(&summary, base.as_ref()));
    text.push_str(&figures::intervals(&statistics));
    text.push_str(&figures::remarks(&summary));
    text.push_str(&figures::shortcomings(run, &summary));
    text.push_str(&run_names(run, before));
    cases.write(&mut text, LONGEST);
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Reads the figures of a run, and its cases that need attention.
fn read(run: &RunResults) -> Result<(Summary, RunStatistics, Cases), ReportFailure> {
    let mut fold = RunFold::of_trials(run.trials()?);
    let mut cases = Cases::default();
    run.each(&mut |record| {
        fold.add(&record);
        cases.add(&record);
    })?;
    cases.look_up(&mut Exchanges::of(run)?)?;
    let (summary, statistics) = fold.finish(run.skipped());
    Ok((summary, statistics, cases))
}

fn run_names(run: &RunResults, before: Option<&RunResults>) -> String {
    let name = |run: &RunResults| code(run.name(), 200);
    match before {
        Some(before) => format!("\nRun {}, compared with {}.\n", name(run), name(before)),
        None => format!("\nRun {}.\n", name(run)),
    }
}
