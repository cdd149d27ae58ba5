//! What failed or errored in an earlier run.

use agentv_core::{ResultRecord, Status};
use agentv_journal::{FileError, Line, RecordFile, RunFolder};
use agentv_runner::{ChosenTrials, trial_fields};

use super::refused::Refused;

/// The trials of a run that failed or errored.
pub(crate) fn failed_trials(folder: &RunFolder) -> Result<ChosenTrials, Refused> {
    let mut chosen = ChosenTrials::default();
    each_result(folder, &mut |record| {
        chosen.know_target(&record.target);
        match record.status {
            Status::Fail | Status::Error => chosen.choose(
                &record.eval_file,
                &record.eval_id,
                &record.target,
                record.trial,
            ),
            Status::Pass | Status::Borderline | Status::Ungraded => {}
        }
    })?;
    if chosen.is_empty() {
        return Err(Refused::because(format!(
            "nothing was run: nothing failed or errored in run `{}`",
            folder.id()
        )));
    }
    Ok(chosen)
}

/// Goes through the results of a run that count: of each trial, the last.
pub(crate) fn each_result(
    folder: &RunFolder,
    each: &mut dyn FnMut(ResultRecord),
) -> Result<(), Refused> {
    let unreadable = |error: FileError| Refused::because(error.to_string());
    let latest = folder.latest(RecordFile::Results, &trial_fields());
    for line in latest.map_err(unreadable)?.records::<ResultRecord>() {
        if let Line::Record(record) = line.map_err(unreadable)? {
            each(record.value);
        }
    }
    Ok(())
}
