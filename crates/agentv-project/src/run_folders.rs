//! The run folders of a project: found by name, found by content, created.

use std::path::{Path, PathBuf};

use agentv_core::RunRecord;
use agentv_journal::{FolderError, RunFolder, list_runs};
use agentv_report::{ResultsCheck, RunResults};
use agentv_syntax::nearest;
use jiff::Timestamp;

use crate::error::ProjectError;
use crate::notices::Notices;
use crate::project::Project;

/// The folder `.agentv/results` of a project, which holds its runs.
pub struct RunFolders {
    results: PathBuf,
    project: Project,
}

/// A run folder and the request that its `run.json` records.
#[derive(Debug, Clone)]
pub struct FoundRun {
    /// The folder.
    pub folder: RunFolder,
    /// The request, and what is known of the run so far.
    pub record: RunRecord,
}

impl RunFolders {
    pub(crate) fn at(results: PathBuf, project: Project) -> RunFolders {
        RunFolders { results, project }
    }

    /// Returns the folder that holds the run folders.
    pub fn path(&self) -> &Path {
        &self.results
    }

    /// Returns that folder as a user in the working folder would write it.
    pub fn shown(&self) -> PathBuf {
        self.project.shown(&self.results)
    }

    /// Returns the folders of all runs, newest first. Some may lack a `run.json`.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn all(&self) -> Result<Vec<RunFolder>, ProjectError> {
        let runs = list_runs(&self.results).map_err(ProjectError::from_error)?;
        Ok(runs.into_iter().map(|run| run.folder).collect())
    }

    /// Creates the folder of a run that begins now.
    ///
    /// # Errors
    /// If it cannot be created.
    pub fn create(&self, now: Timestamp) -> Result<RunFolder, ProjectError> {
        RunFolder::create_at(&self.results, now).map_err(not_written)
    }

    /// Finds the run that a user calls `name`: its id, the path of its folder, `latest` or `latest~2`.
    ///
    /// # Errors
    /// If there is no such run, or its `run.json` cannot be read.
    pub fn find(&self, name: &str, notices: &mut dyn Notices) -> Result<FoundRun, ProjectError> {
        let folder = self.named(name, notices)?;
        let record = folder.run::<RunRecord>().map_err(unusable)?;
        let record = record.ok_or_else(|| {
            let shown = self.project.shown(folder.path());
            let message = format!("`{}` is not a run: it has no `run.json`", shown.display());
            ProjectError::with_hint(message, Some("`agentv runs` lists the runs".to_owned()))
        })?;
        Ok(FoundRun { folder, record })
    }

    /// Finds the newest run whose record meets a condition.
    ///
    /// # Errors
    /// If the folder cannot be listed.
    pub fn find_newest(
        &self,
        is_meant: impl Fn(&RunRecord) -> bool,
    ) -> Result<Option<FoundRun>, ProjectError> {
        let mut meant = self.all()?.into_iter().filter_map(|folder| {
            let record = folder.run::<RunRecord>().ok().flatten()?;
            is_meant(&record).then_some(FoundRun { folder, record })
        });
        Ok(meant.next())
    }

    /// Returns the results that a user calls `name`: a file that ends in .jsonl or .json, or a run.
    ///
    /// # Errors
    /// If there is no such run, or it cannot be read.
    pub fn results_named(
        &self,
        name: &str,
        notices: &mut dyn Notices,
    ) -> Result<RunResults, ProjectError> {
        if let Some(results) = results_in_file(name) {
            check_file(name, notices)?;
            return Ok(results);
        }
        if Path::new(name).is_file() {
            return Err(ProjectError::with_hint(
                format!("`{name}` is not a result file"),
                Some("name a run, or a result file that ends in .jsonl or .json".to_owned()),
            ));
        }
        let found = self.find(name, notices)?;
        found.warn_of_missing_marks(notices);
        RunResults::of_folder(&found.folder).map_err(unusable)
    }

    fn named(&self, name: &str, notices: &mut dyn Notices) -> Result<RunFolder, ProjectError> {
        if name.contains(['/', '\\']) || Path::new(name).join("run.json").is_file() {
            return RunFolder::open(Path::new(name)).map_err(unusable);
        }
        let runs = self.all()?;
        let back = match name.strip_prefix("latest") {
            Some("") => Some(0),
            Some(rest) => rest
                .strip_prefix('~')
                .and_then(|back| back.parse::<usize>().ok()),
            None => None,
        };
        let found = match back {
            Some(back) => {
                let mut of_targets = runs
                    .iter()
                    .filter(|folder| is_run_of_targets(folder, notices));
                of_targets.nth(back)
            }
            None => runs.iter().find(|folder| folder.id().as_str() == name),
        };
        if let Some(folder) = found {
            if back.is_some() {
                warn_of_dry_run(name, folder, notices);
            }
            return Ok(folder.clone());
        }
        let hint = match nearest(name, runs.iter().map(|folder| folder.id().as_str())) {
            _ if back.is_some() => None,
            Some(near) => Some(format!("did you mean `{near}`?")),
            None => {
                let newest = runs
                    .iter()
                    .find(|folder| is_run_of_targets(folder, notices));
                newest.map(|folder| format!("the newest run is `{}`", folder.id()))
            }
        };
        let shown = self.shown();
        let message = format!("run `{name}` not found in `{}`", shown.display());
        Err(ProjectError::with_hint(message, hint))
    }
}

impl FoundRun {
    /// Refuses a calibration: it has no answers of targets to resume, to grade or to merge.
    pub(crate) fn refuse_calibration(&self) -> Result<(), ProjectError> {
        let Some(file) = &self.record.calibrated_with else {
            return Ok(());
        };
        let id = self.folder.id();
        let message = format!("run `{id}` is a calibration with `{file}`, not a run of targets");
        let file = agentv_process::quote(file);
        let hint = format!("resume it with `agentv judge calibrate {file} --resume={id}`");
        Err(ProjectError::with_hint(message, Some(hint)))
    }

    /// Refuses a grading: its targets were not asked, so `run` cannot resume it.
    pub(crate) fn refuse_grading(&self) -> Result<(), ProjectError> {
        let Some(origin) = &self.record.graded_from else {
            return Ok(());
        };
        let id = self.folder.id();
        let message = format!("run `{id}` is a grading of `{origin}`, not a run of targets");
        let hint = format!("resume it with `agentv grade {origin} --resume={id}`");
        Err(ProjectError::with_hint(message, Some(hint)))
    }

    /// Warns about a run that was ended before its results were compared with its changed files, targets or
    /// settings.
    pub(crate) fn warn_of_missing_marks(&self, notices: &mut dyn Notices) {
        if self.record.may_lack_marks() {
            notices.warn(format!(
                "run `{}` was resumed after a change and is not finished: results may be of an earlier \
                 version of its cases, targets or settings (resume it to repeat them)",
                self.folder.id()
            ));
        }
    }

    /// Refuses a run that another process is writing. A run that this process may not write counts as finished.
    pub(crate) fn refuse_unfinished(&self) -> Result<(), ProjectError> {
        match self.folder.write(Timestamp::now()) {
            Err(error @ FolderError::Locked { .. }) => Err(unusable(error)),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// Checks that a folder holds a run of targets: not a calibration, and not a folder without `run.json`.
/// Warns about a `run.json` that cannot be read.
fn is_run_of_targets(folder: &RunFolder, notices: &mut dyn Notices) -> bool {
    #[derive(serde::Deserialize)]
    struct Known {
        calibrated_with: Option<String>,
    }
    match folder.run::<Known>() {
        Ok(record) => record.is_some_and(|record| record.calibrated_with.is_none()),
        Err(error) => {
            notices.warn(error.to_string());
            false
        }
    }
}

/// Warns if the run that `latest` stands for is a dry run.
fn warn_of_dry_run(name: &str, folder: &RunFolder, notices: &mut dyn Notices) {
    #[derive(serde::Deserialize)]
    struct Known {
        #[serde(default)]
        dry_run: bool,
    }
    if matches!(folder.run::<Known>(), Ok(Some(Known { dry_run: true }))) {
        notices.warn(format!(
            "`{name}` is `{}`, a dry run: mocks answered in place of the targets",
            folder.id()
        ));
    }
}

/// Returns the results in a file if `name` has the extension of one.
fn results_in_file(name: &str) -> Option<RunResults> {
    let path = Path::new(name);
    let extension = path.extension().and_then(|extension| extension.to_str());
    let is_known = extension.is_some_and(|extension| {
        ["jsonl", "json"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    });
    (is_known && !path.is_dir()).then(|| RunResults::of_file(path))
}

/// Warns about lines of a file that are not results, by field. Refuses a file without any result.
fn check_file(name: &str, notices: &mut dyn Notices) -> Result<(), ProjectError> {
    let path = Path::new(name);
    let check = ResultsCheck::of_file(path).map_err(ProjectError::from_error)?;
    if let Some(first) = check.problems.first().filter(|_| check.readable == 0) {
        return Err(ProjectError::with_hint(
            format!("`{name}` has no result that can be read: {first}"),
            Some("`agentv run --out FILE.jsonl` writes a file of results".to_owned()),
        ));
    }
    for problem in &check.problems {
        notices.warn(format!("`{name}`, {problem}"));
    }
    if check.more > 0 {
        notices.warn(format!("`{name}` has {} more such lines", check.more));
    }
    Ok(())
}

/// Reports a folder that could not be written.
pub(crate) fn not_written(error: FolderError) -> ProjectError {
    match error {
        FolderError::Locked { .. } => unusable(error),
        FolderError::Exists(_)
        | FolderError::NotFound(_)
        | FolderError::Id(_)
        | FolderError::InUse(_)
        | FolderError::Newer { .. }
        | FolderError::File(_) => ProjectError::not_written(error),
    }
}

pub(crate) fn unusable(error: FolderError) -> ProjectError {
    ProjectError::from_error(error)
}
