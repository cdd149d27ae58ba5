//! One JSON object with everything, for scripts.

use std::io::{self, Write};

use serde::Serialize;

use super::{ReportFailure, ReportFormat};
use crate::results::{ResultTexts, RunResults};

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "json",
    extension: "json",
    doc: "For scripts: one object with the run, its summary and its results",
    most_runs: 1,
    write,
};

/// Writes `{"run": …, "summary": …, "statistics": …, "results": […]}`, one result per line.
fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    for run in runs {
        out.write_all(b"{")?;
        if let Some(asked) = run.run() {
            field(out, "run", asked)?;
            out.write_all(b",\n")?;
        }
        let (summary, statistics, results) = run.figures_and_texts()?;
        field(out, "summary", &summary)?;
        out.write_all(b",\n")?;
        field(out, "statistics", &statistics)?;
        out.write_all(b",\n\"results\":[")?;
        write_results(results, out)?;
        out.write_all(b"]}\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Writes the records as they are on disk.
fn write_results(results: ResultTexts, out: &mut dyn Write) -> Result<(), ReportFailure> {
    let mut before: &[u8] = b"\n";
    results.each(|record| -> Result<(), ReportFailure> {
        out.write_all(before)?;
        out.write_all(record.as_bytes())?;
        before = b",\n";
        Ok(())
    })?;
    out.write_all(b"\n")?;
    Ok(())
}

fn field<T: Serialize>(out: &mut dyn Write, name: &str, value: &T) -> io::Result<()> {
    write!(out, "\"{name}\":")?;
    serde_json::to_writer(out, value)?;
    Ok(())
}
