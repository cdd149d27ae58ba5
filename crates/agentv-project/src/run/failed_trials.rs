//! The trials of an earlier run that did not pass.

use agentv_core::Status;
use agentv_journal::RunFolder;
use agentv_runner::ChosenTrials;

use crate::error::ProjectError;
use crate::results::each_result;

/// Returns the trials of a run that failed, errored or are borderline, which has not passed either.
pub(super) fn failed_trials(folder: &RunFolder) -> Result<ChosenTrials, ProjectError> {
    let mut chosen = ChosenTrials::default();
    each_result(folder, &mut |record| {
        chosen.know_target(&record.target);
        match record.status {
            Status::Fail | Status::Borderline | Status::Error => chosen.choose(
                &record.eval_file,
                &record.eval_id,
                &record.target,
                record.trial,
            ),
            Status::Pass | Status::Ungraded => {}
        }
    })?;
    if chosen.is_empty() {
        return Err(ProjectError::because(format!(
            "nothing was run: no trial failed, errored or is borderline in run `{}`",
            folder.id()
        )));
    }
    Ok(chosen)
}
