//! One row per trial, for spreadsheets.

use std::io::Write;

use super::{ReportFailure, ReportFormat};
use crate::out_file::{RecordWriter, csv};
use crate::results::RunResults;

pub(super) const FORMAT: ReportFormat = ReportFormat {
    name: "csv",
    extension: "csv",
    doc: "For spreadsheets: one row per trial",
    most_runs: 1,
    write,
};

fn write(runs: &[RunResults], out: &mut dyn Write) -> Result<(), ReportFailure> {
    let mut rows = RecordWriter::new((csv::FORMAT.start)(), out);
    let mut written = Ok(());
    for run in runs {
        run.each_in_file_order(&mut |record| {
            if written.is_ok() {
                written = rows.write(&record.value);
            }
        })?;
    }
    written?;
    rows.finish()?.flush()?;
    Ok(())
}
