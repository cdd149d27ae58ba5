//! The folder of a run: a new one, or that of a run that goes on.

use std::path::{Path, PathBuf};

use agentv_core::RunRecord;
use agentv_journal::{FolderError, RunFolder, list_runs};
use agentv_syntax::nearest;
use jiff::Timestamp;

use super::refused::Refused;
use crate::output;

/// Where the runs of a project are.
pub(crate) fn results_of(root: &Path) -> PathBuf {
    root.join(".agentv").join("results")
}

/// The results of the project around the working folder.
pub(crate) fn results_here() -> Result<PathBuf, Refused> {
    let here = std::env::current_dir().and_then(std::fs::canonicalize);
    let here = here.map_err(|error| Refused::because(format!("no working folder: {error}")))?;
    let project = agentv_dataset::Project::around(&here);
    Ok(results_of(&project.root))
}

/// A run that is being written is not whole yet; one that nobody may write is.
pub(crate) fn refuse_unfinished(folder: &RunFolder) -> Result<(), Refused> {
    match folder.write(Timestamp::now()) {
        Err(error @ FolderError::Locked { .. }) => Err(unusable(error)),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// A new folder for a run that begins now.
pub(crate) fn create(results: &Path, now: Timestamp) -> Result<RunFolder, Refused> {
    RunFolder::create_at(results, now).map_err(not_written)
}

/// The run that a user calls `name` (its id, the path of its folder, `latest`, `latest~2`), and what
/// it was asked to do.
pub(crate) fn find(results: &Path, name: &str) -> Result<(RunFolder, RunRecord), Refused> {
    let folder = named(results, name)?;
    let record = folder.run::<RunRecord>().map_err(unusable)?;
    let record = record.ok_or_else(|| {
        let shown = output::from_here(folder.path());
        let message = format!("`{}` is no run: it has no run.json", shown.display());
        Refused::with_hint(message, Some("`agentv runs` lists the runs".to_owned()))
    })?;
    Ok((folder, record))
}

fn named(results: &Path, name: &str) -> Result<RunFolder, Refused> {
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
    let found = match back {
        Some(back) => runs.iter().filter(|run| is_run(&run.folder)).nth(back),
        None => runs.iter().find(|run| run.folder.id().as_str() == name),
    };
    if let Some(run) = found {
        return Ok(run.folder.clone());
    }
    let ids = || runs.iter().map(|run| run.folder.id().as_str());
    let hint = match nearest(name, ids()) {
        _ if back.is_some() => None,
        Some(near) => Some(format!("did you mean `{near}`?")),
        None => {
            let newest = runs.iter().find(|run| is_run(&run.folder));
            newest.map(|run| format!("the newest is `{}`", run.folder.id()))
        }
    };
    let shown = output::from_here(results);
    let message = format!("there is no run `{name}` in `{}`", shown.display());
    Err(Refused::with_hint(message, hint))
}

/// Whether a folder holds a run of targets, and not only its name: one that has no `run.json` is left
/// out, as are calibrations, and one whose `run.json` cannot be read, with a warning.
fn is_run(folder: &RunFolder) -> bool {
    #[derive(serde::Deserialize)]
    struct Known {
        calibrated_with: Option<String>,
    }
    match folder.run::<Known>() {
        Ok(record) => record.is_some_and(|record| record.calibrated_with.is_none()),
        Err(error) => {
            output::warning(&error.to_string());
            false
        }
    }
}

/// A calibration has no answers of targets: there is nothing to go on with, to grade or to join.
pub(crate) fn refuse_calibration(folder: &RunFolder, record: &RunRecord) -> Result<(), Refused> {
    let Some(file) = &record.calibrated_with else {
        return Ok(());
    };
    let id = folder.id();
    let message = format!("`{id}` is no run of targets, but a calibration with `{file}`");
    let file = agentv_process::quote(file);
    let hint = format!("go on with it by `agentv judge calibrate {file} --resume={id}`");
    Err(Refused::with_hint(message, Some(hint)))
}

/// What makes a run the same as another.
pub(crate) struct Wanted<'a> {
    pub(crate) files: Vec<&'a str>,
    pub(crate) chosen_targets: &'a [String],
    pub(crate) trials: u32,
    pub(crate) shard: Option<String>,
    pub(crate) dry_run: bool,
}

impl Wanted<'_> {
    fn is_met_by(&self, record: &RunRecord) -> bool {
        let files = record.files.iter().map(|file| file.path.as_str());
        let targets = record.chosen_targets.iter().map(String::as_str);
        let wanted = self.chosen_targets.iter().map(String::as_str);
        sorted(files) == sorted(self.files.iter().copied())
            && sorted(targets) == sorted(wanted)
            && record.trials == self.trials
            && record.shard == self.shard
            && record.dry_run == self.dry_run
            && record.merged_from.is_empty()
            && record.graded_from.is_none()
            && record.calibrated_with.is_none()
    }
}

fn sorted<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut texts: Vec<_> = texts.collect();
    texts.sort_unstable();
    texts
}

/// The newest run of the same files, targets and trials.
pub(crate) fn find_same(
    results: &Path,
    wanted: Wanted<'_>,
) -> Result<(RunFolder, RunRecord), Refused> {
    let runs = list_runs(results).map_err(|error| Refused::because(error.to_string()))?;
    let mut same = runs.into_iter().filter_map(|run| {
        let record = run.folder.run::<RunRecord>().ok().flatten()?;
        wanted.is_met_by(&record).then_some((run.folder, record))
    });
    same.next().ok_or_else(|| {
        Refused::with_hint(
            format!(
                "there is no run of these files, targets and trials in `{}`",
                output::from_here(results).display()
            ),
            Some("leave `--resume` out to begin one, or name one with `--resume=RUN`".to_owned()),
        )
    })
}

/// A folder that is to be written, and is not.
pub(crate) fn not_written(error: FolderError) -> Refused {
    match error {
        FolderError::Locked { .. } => unusable(error),
        FolderError::Exists(_)
        | FolderError::NotFound(_)
        | FolderError::Id(_)
        | FolderError::InUse(_)
        | FolderError::Newer { .. }
        | FolderError::File(_) => Refused::not_written(error.to_string()),
    }
}

pub(crate) fn unusable(error: FolderError) -> Refused {
    Refused::because(error.to_string())
}
