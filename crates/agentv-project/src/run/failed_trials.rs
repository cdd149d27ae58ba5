//! The trials of an earlier run that did not pass.

use std::collections::BTreeSet;

use agentv_core::Status;
use agentv_runner::ChosenTrials;

use crate::error::ProjectError;
use crate::eval_files::EvalFiles;
use crate::notices::Notices;
use crate::results::each_result;
use crate::run_folders::FoundRun;

/// The most cases that a warning names.
const MOST_NAMED: usize = 5;

/// The trials of a run that did not pass, and the cases that were skipped.
pub(super) struct FailedTrials {
    pub(super) chosen: ChosenTrials,
    run: String,
    /// The file and the id of each of these cases.
    cases: BTreeSet<(String, String)>,
    /// The number of skipped cases whose ids are not known.
    not_named: u64,
}

impl FailedTrials {
    /// Finds the trials of a run that failed, errored or are borderline, which has not passed either, and the
    /// cases that it skipped.
    ///
    /// # Errors
    /// If the results cannot be read, or if there is nothing to repeat.
    pub(super) fn of(run: &FoundRun) -> Result<FailedTrials, ProjectError> {
        let mut chosen = ChosenTrials::default();
        let mut cases = BTreeSet::new();
        let mut skipped: BTreeSet<(String, String)> = skipped_cases(run).collect();
        let named = skipped_cases(run).count() as u64;
        each_result(&run.folder, &mut |record| {
            chosen.know_target(&record.target);
            let case = (record.eval_file.to_string(), record.eval_id);
            // A second case of the same id was skipped.
            skipped.remove(&case);
            match record.status {
                Status::Fail | Status::Borderline | Status::Error => {
                    chosen.choose(&case.0, &case.1, &record.target, record.trial);
                    cases.insert(case);
                }
                Status::Pass | Status::Ungraded => {}
            }
        })?;
        for (file, id) in &skipped {
            chosen.choose_case(file, id);
        }
        cases.extend(skipped);
        let id = run.folder.id();
        if chosen.is_empty() {
            return Err(ProjectError::because(format!(
                "nothing was run: no trial failed, errored or is borderline in run `{id}`"
            )));
        }
        let skipped: u64 = run.record.files.iter().map(|file| file.skipped).sum();
        Ok(FailedTrials {
            chosen,
            run: id.to_string(),
            cases,
            not_named: skipped.saturating_sub(named),
        })
    }

    /// Warns about cases that cannot be repeated: those that no longer exist, those of files that the request
    /// does not name, and skipped cases that are not known by name.
    ///
    /// # Errors
    /// If an eval file can no longer be read.
    pub(super) fn warn_of_others(
        &self,
        files: &EvalFiles,
        notices: &mut dyn Notices,
    ) -> Result<(), ProjectError> {
        let mut gone = self.cases.clone();
        files.each_id(&mut |file, id| {
            gone.remove(&(file.to_owned(), id.to_owned()));
        })?;
        let open = files.names();
        let (gone, elsewhere): (Vec<_>, Vec<_>) = gone
            .into_iter()
            .partition(|(file, _)| open.contains(&&**file));
        let run = &self.run;
        for (cases, reason) in [
            (gone, "their files no longer have them"),
            (elsewhere, "this command does not name their files"),
        ] {
            if !cases.is_empty() {
                notices.warn(format!(
                    "these cases of run `{run}` are not repeated, because {reason}: {}",
                    listed(&cases)
                ));
            }
        }
        if self.not_named > 0 {
            let count = self.not_named;
            notices.warn(format!(
                "run `{run}` also skipped cases whose ids are not recorded ({count}): they are not repeated"
            ));
        }
        Ok(())
    }
}

/// Returns the file and the id of each skipped case that is known by name.
fn skipped_cases(run: &FoundRun) -> impl Iterator<Item = (String, String)> {
    let files = run.record.files.iter();
    files.flat_map(|file| {
        let cases = file.skipped_cases.iter();
        let ids = cases.filter_map(|case| case.id.clone());
        ids.map(|id| (file.path.clone(), id))
    })
}

fn listed(cases: &[(String, String)]) -> String {
    let named = cases.iter().take(MOST_NAMED);
    let named: Vec<String> = named.map(|(file, id)| format!("`{id}` ({file})")).collect();
    match cases.len().saturating_sub(MOST_NAMED) {
        0 => named.join(", "),
        others => format!("{} and {others} more", named.join(", ")),
    }
}
