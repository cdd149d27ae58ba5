//! The run whose answers are graded, and the grading of it that is resumed.

use std::path::{Path, PathBuf};

use agentv_dataset::Project as ProjectFolder;

use super::options::GradeOptions;
use crate::error::ProjectError;
use crate::notices::Notices;
use crate::options::Resume;
use crate::project::Project;
use crate::run_folders::{FoundRun, RunFolders};

/// The run whose answers are graded.
pub(super) struct GradedRun {
    pub(super) run: FoundRun,
    /// The folder that holds it, and its gradings beside it.
    pub(super) runs: RunFolders,
    /// The grading that is resumed.
    pub(super) resumed: Option<FoundRun>,
}

impl GradedRun {
    /// Finds the run that the options name, and the grading of it that is resumed.
    pub(super) fn find(
        project: &Project,
        options: &GradeOptions,
        evaluators_file: Option<&str>,
        notices: &mut dyn Notices,
    ) -> Result<GradedRun, ProjectError> {
        let run = project.run_folders()?.find(&options.run, notices)?;
        run.refuse_calibration()?;
        let path = std::fs::canonicalize(run.folder.path());
        let path = path.unwrap_or_else(|_| run.folder.path().to_owned());
        let results = path.parent().unwrap_or(&path).to_owned();
        let graded = GradedRun {
            run,
            runs: RunFolders::at(results, project.clone()),
            resumed: None,
        };
        match options.resumed() {
            Some(Resume::Named(name)) => {
                let named = graded.runs.find(&name, notices)?;
                graded.resuming(named, notices)
            }
            Some(Resume::Newest) => graded.resuming_newest(evaluators_file, notices),
            None => Ok(graded),
        }
    }

    /// Returns the root of the project that holds the run.
    pub(super) fn root(&self) -> Result<PathBuf, ProjectError> {
        let results: &Path = self.runs.path();
        let here = std::fs::canonicalize(results).map_err(|error| {
            let shown = results.display();
            ProjectError::because(format!("cannot read `{shown}`: {error}"))
        })?;
        Ok(ProjectFolder::around(&here).root)
    }

    fn resuming(
        self,
        named: FoundRun,
        notices: &mut dyn Notices,
    ) -> Result<GradedRun, ProjectError> {
        let id = named.folder.id();
        let Some(origin) = named.record.graded_from.as_deref() else {
            return Err(ProjectError::because(format!(
                "run `{id}` is not a grading"
            )));
        };
        let asked = self.run.folder.id();
        if origin == asked.as_str() {
            return Ok(GradedRun {
                resumed: Some(named),
                ..self
            });
        }
        // The newest run is often the grading itself.
        if id != asked {
            let message = format!("run `{id}` is a grading of `{origin}`, not of `{asked}`");
            return Err(ProjectError::because(message));
        }
        self.of_origin(named, notices)
    }

    /// Resumes a grading, with the run that it grades instead of the one that was named.
    fn of_origin(
        self,
        grading: FoundRun,
        notices: &mut dyn Notices,
    ) -> Result<GradedRun, ProjectError> {
        let origin = grading.record.graded_from.clone().unwrap_or_default();
        Ok(GradedRun {
            run: self.runs.find(&origin, notices)?,
            runs: self.runs,
            resumed: Some(grading),
        })
    }

    /// Resumes the newest grading of the run by the same evaluators; without one, the run itself if that
    /// is a grading.
    fn resuming_newest(
        self,
        evaluators_file: Option<&str>,
        notices: &mut dyn Notices,
    ) -> Result<GradedRun, ProjectError> {
        let id = self.run.folder.id().as_str();
        let newest = self.runs.find_newest(|record| {
            record.graded_from.as_deref() == Some(id)
                && record.evaluators_file.as_deref() == evaluators_file
        })?;
        if let Some(newest) = newest {
            return Ok(GradedRun {
                resumed: Some(newest),
                ..self
            });
        }
        let record = &self.run.record;
        if record.graded_from.is_some() && record.evaluators_file.as_deref() == evaluators_file {
            let itself = self.run.clone();
            return self.of_origin(itself, notices);
        }
        let message = format!(
            "no grading of run `{id}` with these evaluators found in `{}`",
            self.runs.shown().display()
        );
        let hint = "omit `--resume` to start a new one, or name one with `--resume=RUN`".to_owned();
        Err(ProjectError::with_hint(message, Some(hint)))
    }
}
