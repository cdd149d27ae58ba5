//! The results of a run, one by one.

use agentv_core::ResultRecord;
use agentv_journal::{Line, RecordFile, RunFolder};
use agentv_runner::trial_fields;

use crate::error::ProjectError;

/// Visits the result of each trial of a run: the last, if it has several.
///
/// # Errors
/// If the results cannot be read.
pub fn each_result(
    folder: &RunFolder,
    each: &mut dyn FnMut(ResultRecord),
) -> Result<(), ProjectError> {
    let latest = folder.latest(RecordFile::Results, &trial_fields());
    let latest = latest.map_err(ProjectError::from_error)?;
    for line in latest.records::<ResultRecord>() {
        if let Line::Record(record) = line.map_err(ProjectError::from_error)? {
            each(record.value);
        }
    }
    Ok(())
}
