//! One JSON object with everything, for scripts.

use std::io::{self, Write};

use agentv_core::ResultRecord;
use serde::Serialize;

use super::{ReportFailure, ReportFormat};
use crate::results::RunResults;

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
        let (summary, statistics) = run.figures()?;
        field(out, "summary", &summary)?;
        out.write_all(b",\n")?;
        field(out, "statistics", &statistics)?;
        out.write_all(b",\n\"results\":[")?;
        write_results(run, out)?;
        out.write_all(b"]}\n")?;
    }
    out.flush()?;
    Ok(())
}

fn write_results(run: &RunResults, out: &mut dyn Write) -> Result<(), ReportFailure> {
    let mut before: &[u8] = b"\n";
    let mut written = Ok(());
    run.each_in_file_order(&mut |record| {
        if written.is_ok() {
            written = write_result(&record.value, before, out);
            before = b",\n";
        }
    })?;
    written?;
    out.write_all(b"\n")?;
    Ok(())
}

fn write_result(record: &ResultRecord, before: &[u8], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(before)?;
    serde_json::to_writer(out, record)?;
    Ok(())
}

fn field<T: Serialize>(out: &mut dyn Write, name: &str, value: &T) -> io::Result<()> {
    write!(out, "\"{name}\":")?;
    serde_json::to_writer(out, value)?;
    Ok(())
}
