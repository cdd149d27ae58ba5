//! What a run is asked to do: by the command line, and by the run that it continues or repeats.

use std::path::Path;

use agentv_core::RunRecord;
use agentv_journal::RunFolder;
use agentv_runner::Selection;
use globset::{Glob, GlobSet, GlobSetBuilder};

use super::files::EvalFiles;
use super::folder::{self, Wanted};
use super::refused::Refused;
use super::rerun::failed_trials;
use crate::arguments::RunArguments;

/// What a run is asked to do.
pub(crate) struct Plan {
    /// The targets that every case is asked of; where empty, the one that it names.
    pub(crate) chosen_targets: Vec<String>,
    pub(crate) trials: u32,
    pub(crate) selection: Selection,
    /// The run whose failed and errored trials are run again.
    pub(crate) rerun_of: Option<String>,
    /// The run that goes on.
    pub(crate) resumed: Option<Resumed>,
}

/// A run that goes on, and what it was asked to do so far.
pub(crate) struct Resumed {
    pub(crate) folder: RunFolder,
    pub(crate) record: RunRecord,
}

/// Which run goes on.
enum Resume<'a> {
    None,
    /// The newest of the same files, targets and trials.
    Newest,
    Named(&'a str),
}

impl Plan {
    pub(crate) fn of(
        arguments: &RunArguments,
        files: &EvalFiles,
        results: &Path,
    ) -> Result<Plan, Refused> {
        let repeated = match &arguments.rerun_failed {
            Some(name) => Some(folder::find(results, name)?),
            None => None,
        };
        let named = match resume(arguments) {
            Resume::Named(name) => Some(folder::find(results, name)?),
            Resume::None | Resume::Newest => None,
        };
        for (folder, record) in repeated.iter().chain(&named) {
            folder::refuse_calibration(folder, record)?;
        }
        refuse_grading(named.as_ref())?;
        let rerun_of = match (&repeated, &named) {
            (Some((folder, _)), _) => Some(folder.id().to_string()),
            (None, Some((_, record))) => record.rerun_of.clone(),
            (None, None) => None,
        };
        // What is run again was asked as it was asked then, where nothing else is said.
        let as_before = repeated
            .as_ref()
            .or(named.as_ref().filter(|_| rerun_of.is_some()));
        let before = as_before
            .map(|(_, record)| record.clone())
            .unwrap_or_default();
        let chosen_targets = match arguments.chosen_targets.as_slice() {
            [] => before.chosen_targets,
            chosen => chosen.to_vec(),
        };
        let trials = arguments.trials.unwrap_or(before.trials.max(1));
        let mut selection = selection(arguments)?;
        if let Some(name) = &rerun_of {
            let (folder, _) = match repeated {
                Some(repeated) => repeated,
                None => folder::find(results, name)?,
            };
            selection.trials = Some(failed_trials(&folder)?);
        }
        let wanted = Wanted {
            files: files.names(),
            chosen_targets: &chosen_targets,
            trials,
            shard: arguments.shard.map(|shard| shard.to_string()),
            dry_run: arguments.dry_run,
        };
        let resumed = match (resume(arguments), named) {
            (_, Some(named)) => Some(named),
            (Resume::Newest, None) => Some(folder::find_same(results, wanted)?),
            (Resume::None | Resume::Named(_), None) => None,
        };
        Ok(Plan {
            chosen_targets,
            trials,
            selection,
            rerun_of,
            resumed: resumed.map(|(folder, record)| Resumed { folder, record }),
        })
    }
}

impl Plan {
    /// Whether a run goes on with everything that its files have: what is not planned now is gone
    /// from them.
    pub(crate) fn is_whole(&self, arguments: &RunArguments) -> bool {
        let shard = arguments.shard.map(|shard| shard.to_string());
        let resumed = self.resumed.as_ref();
        let is_same_share = resumed.is_some_and(|resumed| resumed.record.shard == shard);
        is_same_share && arguments.eval_ids.is_empty() && arguments.limit.is_none()
    }
}

/// What is graded again was not asked: there is nothing that a run could go on with.
fn refuse_grading(named: Option<&(RunFolder, RunRecord)>) -> Result<(), Refused> {
    let Some((folder, record)) = named else {
        return Ok(());
    };
    let Some(origin) = &record.graded_from else {
        return Ok(());
    };
    let message = format!(
        "`{}` is no run of targets, but a grading of `{origin}`",
        folder.id()
    );
    let hint = format!(
        "go on with it by `agentv grade {origin} --resume={}`",
        folder.id()
    );
    Err(Refused::with_hint(message, Some(hint)))
}

fn resume(arguments: &RunArguments) -> Resume<'_> {
    match &arguments.resume {
        Some(Some(name)) => Resume::Named(name),
        Some(None) => Resume::Newest,
        None if arguments.retry_errors => Resume::Newest,
        None => Resume::None,
    }
}

fn selection(arguments: &RunArguments) -> Result<Selection, Refused> {
    Ok(Selection {
        eval_ids: matching(&arguments.eval_ids)?,
        shard: arguments.shard,
        limit: arguments.limit,
        trials: None,
    })
}

/// What `--eval-id` says; `None` where it is not given.
pub(crate) fn matching(patterns: &[String]) -> Result<Option<GlobSet>, Refused> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| {
            Refused::because(format!("--eval-id `{pattern}`: {}", error.kind()))
        })?;
        globs.add(glob);
    }
    let globs = globs
        .build()
        .map_err(|error| Refused::because(error.to_string()))?;
    Ok((!patterns.is_empty()).then_some(globs))
}

/// Why a selection that leaves nothing does so.
pub(crate) fn nothing_selected(arguments: &RunArguments) -> Refused {
    let mut reasons: Vec<String> = Vec::new();
    if !arguments.eval_ids.is_empty() {
        let patterns = arguments.eval_ids.join(" --eval-id ");
        reasons.push(format!("`--eval-id {patterns}`"));
    }
    reasons.extend(arguments.shard.map(|shard| format!("`--shard {shard}`")));
    reasons.extend(arguments.limit.map(|limit| format!("`--limit {limit}`")));
    let rerun = arguments.rerun_failed.iter();
    reasons.extend(rerun.map(|run| format!("`--rerun-failed {run}`")));
    Refused::because(format!(
        "nothing was run: {} leaves no case",
        reasons.join(" with ")
    ))
}
