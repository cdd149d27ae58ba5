//! The folder of a run: a new one, or that of a run that goes on.

use std::path::{Path, PathBuf};

use agentv_core::{ResultRecord, RunRecord, Status};
use agentv_journal::{FolderError, Line, RecordFile, RunFolder, list_runs};
use agentv_runner::ChosenTrials;
use agentv_syntax::nearest;
use jiff::Timestamp;

use super::refused::Refused;
use crate::output;

/// Where the runs of a project are.
pub(crate) fn results_of(root: &Path) -> PathBuf {
    root.join(".agentv").join("results")
}

/// A new folder for a run that begins now.
pub(crate) fn create(results: &Path, now: Timestamp) -> Result<RunFolder, Refused> {
    RunFolder::create_at(results, now).map_err(|error| Refused::not_written(error.to_string()))
}

/// The run that a user calls `name`: its id, the path of its folder, `latest`, `latest~2`.
pub(crate) fn find(results: &Path, name: &str) -> Result<RunFolder, Refused> {
    if name.contains(['/', '\\']) || Path::new(name).join("run.json").is_file() {
        return RunFolder::open(Path::new(name)).map_err(unusable);
    }
    let runs = list_runs(results).map_err(|error| Refused::because(error.to_string()))?;
    let back = match name.strip_prefix("latest") {
        Some("") => Some(0),
        Some(rest) => rest
            .strip_prefix('~')
            .and_then(|back| back.parse::<usize>().ok()),
        None => None,
    };
    if let Some(back) = back {
        return runs
            .into_iter()
            .nth(back)
            .map(|run| run.folder)
            .ok_or_else(|| {
                Refused::because(format!(
                    "there is no run `{name}` in `{}`",
                    output::from_here(results).display()
                ))
            });
    }
    let mut folders = runs.into_iter().map(|run| run.folder);
    if let Some(folder) = folders.clone().find(|folder| folder.id().as_str() == name) {
        return Ok(folder);
    }
    let ids: Vec<String> = folders
        .by_ref()
        .map(|folder| folder.id().to_string())
        .collect();
    let hint = match nearest(name, ids.iter().map(String::as_str)) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => ids
            .first()
            .map(|newest| format!("the newest is `{newest}`")),
    };
    let message = format!(
        "there is no run `{name}` in `{}`",
        output::from_here(results).display()
    );
    Err(Refused::with_hint(message, hint))
}

/// The newest run of the same files, targets and trials.
pub(crate) fn find_same(results: &Path, wanted: &RunRecord) -> Result<RunFolder, Refused> {
    let runs = list_runs(results).map_err(|error| Refused::because(error.to_string()))?;
    let same = runs.into_iter().find(|run| {
        let record = run.folder.run::<RunRecord>().ok().flatten();
        record.is_some_and(|record| is_same(&record, wanted))
    });
    same.map(|run| run.folder).ok_or_else(|| {
        Refused::with_hint(
            format!(
                "there is no run of these files, targets and trials in `{}`",
                output::from_here(results).display()
            ),
            Some("leave `--resume` out to begin one, or name one with `--resume=RUN`".to_owned()),
        )
    })
}

fn is_same(record: &RunRecord, wanted: &RunRecord) -> bool {
    let paths = |record: &RunRecord| {
        let mut paths: Vec<_> = record.files.iter().map(|file| file.path.clone()).collect();
        paths.sort();
        paths
    };
    paths(record) == paths(wanted)
        && record.chosen_targets == wanted.chosen_targets
        && record.trials == wanted.trials
        && record.shard == wanted.shard
        && record.dry_run == wanted.dry_run
        && record.merged_from.is_empty()
}

/// The trials of a run that failed or errored.
pub(crate) fn failed_trials(folder: &RunFolder) -> Result<ChosenTrials, Refused> {
    let unreadable = |error: agentv_journal::FileError| Refused::because(error.to_string());
    let keys = agentv_journal::KeyFields::new(["eval_file", "eval_id", "target", "trial"]);
    let latest = folder
        .latest(RecordFile::Results, &keys)
        .map_err(unreadable)?;
    let mut chosen = ChosenTrials::default();
    for line in latest.records::<ResultRecord>() {
        let Line::Record(record) = line.map_err(unreadable)? else {
            continue;
        };
        let record = record.value;
        chosen.know_target(&record.target);
        match record.status {
            Status::Fail | Status::Error => {
                chosen.choose(
                    &record.eval_file,
                    &record.eval_id,
                    &record.target,
                    record.trial,
                );
            }
            Status::Pass | Status::Borderline | Status::Ungraded => {}
        }
    }
    if chosen.is_empty() {
        return Err(Refused::because(format!(
            "nothing was run: nothing failed or errored in run `{}`",
            folder.id()
        )));
    }
    Ok(chosen)
}

pub(crate) fn unusable(error: FolderError) -> Refused {
    Refused::because(error.to_string())
}
