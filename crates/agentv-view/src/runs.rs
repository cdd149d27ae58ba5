//! The runs of a results folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::RunRecord;
use agentv_journal::{FileError, RecordFile, RunFolder, RunId, list_runs};

use crate::comparisons::{Column, Comparison, Comparisons};
use crate::index::{RunIndex, TrialName, TrialRow};
use crate::labels::LabelFile;
use crate::open_run::OpenRun;
use crate::run_list::{ListedRun, RunLines};
use crate::view_error::ViewError;

/// The number of trials of open runs above which the run that was not used for longest is closed.
const MOST_TRIALS: usize = 1_200_000;
/// The largest number of other runs in which a case is looked for.
const MOST_OTHERS: usize = 20;
/// The largest number of open runs.
const MOST_RUNS: usize = 8;

/// The runs of a results folder, or one of them.
#[derive(Debug)]
pub struct Runs {
    results: PathBuf,
    only: Option<RunId>,
    kept: Option<PathBuf>,
    labels: Option<LabelFile>,
    user: String,
    /// The most recently used run comes last.
    open: Mutex<Vec<Arc<OpenRun>>>,
    lines: Mutex<RunLines>,
    comparisons: Mutex<Comparisons>,
}

impl Runs {
    /// Returns the runs of a results folder, which may not exist yet.
    pub fn of_folder(results: &Path) -> Runs {
        let results = fs::canonicalize(results).unwrap_or_else(|_| results.to_owned());
        let project = results
            .parent()
            .filter(|folder| folder.ends_with(".agentv"));
        Runs {
            kept: project.map(|folder| folder.join("view")),
            labels: project.map(|folder| LabelFile::at(folder.join("labels.jsonl"))),
            user: String::new(),
            results,
            only: None,
            open: Mutex::default(),
            lines: Mutex::default(),
            comparisons: Mutex::default(),
        }
    }

    /// Returns one run.
    pub fn only(run: &RunFolder) -> Runs {
        let path = fs::canonicalize(run.path()).unwrap_or_else(|_| run.path().to_owned());
        let results = path.parent().unwrap_or(Path::new("/"));
        Runs {
            only: Some(run.id().clone()),
            ..Runs::of_folder(results)
        }
    }

    /// Returns the same runs, of which nothing has been read.
    #[must_use]
    pub fn again(&self) -> Runs {
        Runs {
            only: self.only.clone(),
            ..Runs::of_folder(&self.results)
        }
    }

    /// Returns the runs with the name of the person who writes labels.
    #[must_use]
    pub fn with_user(self, user: &str) -> Runs {
        Runs {
            user: user.to_owned(),
            ..self
        }
    }

    /// Returns the name of the person who writes labels.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Returns the file of labels, if the runs belong to a project.
    pub fn labels(&self) -> Option<&LabelFile> {
        self.labels.as_ref()
    }

    /// Returns the folder that holds the runs.
    pub fn folder(&self) -> &Path {
        &self.results
    }

    /// Lists the runs, newest first.
    ///
    /// # Errors
    /// Fails if the folder cannot be listed.
    pub fn list(&self) -> Result<Vec<ListedRun>, ViewError> {
        let folders = self.folders()?;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(folders.iter().map(|folder| lines.of(folder)).collect())
    }

    /// Opens a run.
    ///
    /// # Errors
    /// Fails if there is no such run, or it cannot be read.
    pub fn open(&self, id: &str) -> Result<Arc<OpenRun>, ViewError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|run| run.folder().id().as_str() == id) {
            let run = open.remove(at);
            open.push(Arc::clone(&run));
            return Ok(run);
        }
        let folder = self.folder_of(id)?;
        let run = Arc::new(OpenRun::open(folder, self.kept.clone())?);
        open.push(Arc::clone(&run));
        while open.len() > 1 && (open.len() > MOST_RUNS || trials(&open) > MOST_TRIALS) {
            open.remove(0);
        }
        Ok(run)
    }

    /// Returns the trials of a case with a target in other runs with the same eval file, newest run
    /// first. Runs that cannot be read are skipped.
    ///
    /// # Errors
    /// Fails if the folder cannot be listed.
    pub fn in_other_runs(
        &self,
        run: &str,
        name: &TrialName,
    ) -> Result<Vec<(String, TrialRow)>, ViewError> {
        let has_file = |folder: &RunFolder| {
            let run = folder.run::<RunRecord>().ok().flatten();
            run.is_some_and(|run| run.files.iter().any(|file| file.path == name.file))
        };
        let folders = self.folders()?.into_iter();
        let others = folders.filter(|folder| folder.id().as_str() != run && has_file(folder));
        let mut found = Vec::new();
        for folder in others.take(MOST_OTHERS) {
            let rows = self.repeats_in(&folder, name).unwrap_or_default();
            let id = folder.id().to_string();
            found.extend(rows.into_iter().map(|row| (id.clone(), row)));
        }
        Ok(found)
    }

    /// Returns the trials of a case with a target in a run, which need not be open.
    fn repeats_in(&self, folder: &RunFolder, name: &TrialName) -> Result<Vec<TrialRow>, ViewError> {
        refuse_links(folder)?;
        let index = RunIndex::open(folder, self.kept.as_deref())?;
        let mut rows = Vec::new();
        for item in index.repeats(name)? {
            rows.extend(index.shown(item)?);
        }
        Ok(rows)
    }

    /// Puts runs or targets side by side.
    ///
    /// # Errors
    /// Fails if there is no such run, or it cannot be read.
    pub fn compare(&self, columns: &[Column], threshold: f64) -> Result<Comparison, ViewError> {
        let folders = columns.iter().map(|column| self.folder_of(&column.run));
        let folders = folders.collect::<Result<Vec<RunFolder>, ViewError>>()?;
        let comparisons = self.comparisons.lock();
        let mut comparisons = comparisons.unwrap_or_else(PoisonError::into_inner);
        comparisons.of(columns, &folders, threshold)
    }

    /// Returns the folder of a run.
    fn folder_of(&self, id: &str) -> Result<RunFolder, ViewError> {
        let mut folders = self.folders()?.into_iter();
        let folder = folders.find(|folder| folder.id().as_str() == id);
        folder.ok_or_else(|| ViewError::NoRun(id.to_owned()))
    }

    /// Returns the folders of the runs, newest first, without links to elsewhere.
    pub(crate) fn folders(&self) -> Result<Vec<RunFolder>, FileError> {
        let listed = list_runs(&self.results)?.into_iter().map(|run| run.folder);
        let is_meant = |folder: &RunFolder| {
            let is_link = fs::symlink_metadata(folder.path()).is_ok_and(|found| found.is_symlink());
            !is_link && self.only.as_ref().is_none_or(|only| only == folder.id())
        };
        Ok(listed.filter(is_meant).collect())
    }
}

fn trials(open: &[Arc<OpenRun>]) -> usize {
    open.iter().map(|run| run.len()).sum()
}

/// Checks that no file of a run is a link, which could lead outside of the results folder.
pub(crate) fn refuse_links(run: &RunFolder) -> Result<(), ViewError> {
    let names = [
        RecordFile::Results.name(),
        RecordFile::Transcripts.name(),
        "run.json",
    ];
    for name in names {
        let found = fs::symlink_metadata(run.path().join(name));
        if found.is_ok_and(|found| found.is_symlink()) {
            return Err(ViewError::Link(name.to_owned()));
        }
    }
    Ok(())
}
