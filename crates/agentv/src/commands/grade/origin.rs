//! The run whose answers are graded, and the grading of it that goes on.

use std::path::{Path, PathBuf};

use agentv_core::RunRecord;
use agentv_dataset::Project;
use agentv_journal::{RunFolder, list_runs};

use crate::arguments::GradeArguments;
use crate::commands::run::folder::{self, find};
use crate::commands::run::refused::Refused;
use crate::output;

/// The run whose answers are graded.
pub(super) struct Graded {
    pub(super) folder: RunFolder,
    pub(super) record: RunRecord,
    /// Where it is, and its gradings beside it.
    pub(super) results: PathBuf,
    /// The grading that goes on.
    pub(super) resumed: Option<(RunFolder, RunRecord)>,
}

impl Graded {
    /// Finds the run that the command line names, and with `--resume` the grading of it.
    pub(super) fn find(
        arguments: &GradeArguments,
        evaluators_file: Option<&str>,
    ) -> Result<Graded, Refused> {
        let (folder, record) = find(&folder::results_here()?, &arguments.run)?;
        folder::refuse_calibration(&folder, &record)?;
        let path = std::fs::canonicalize(folder.path());
        let path = path.unwrap_or_else(|_| folder.path().to_owned());
        let results = path.parent().unwrap_or(&path).to_owned();
        let graded = Graded {
            folder,
            record,
            results,
            resumed: None,
        };
        match &arguments.resume {
            Some(Some(name)) => {
                let named = find(&graded.results, name)?;
                graded.going_on_with(named)
            }
            Some(None) => graded.going_on(evaluators_file),
            None if arguments.retry_errors => graded.going_on(evaluators_file),
            None => Ok(graded),
        }
    }

    /// The root of the project that the run is in.
    pub(super) fn root(&self) -> Result<PathBuf, Refused> {
        let here = std::fs::canonicalize(&self.results);
        let here = here.map_err(|error| {
            let shown = self.results.display();
            Refused::because(format!("cannot read `{shown}`: {error}"))
        })?;
        Ok(Project::around(&here).root)
    }

    fn going_on_with(self, named: (RunFolder, RunRecord)) -> Result<Graded, Refused> {
        let (folder, record) = &named;
        let Some(origin) = record.graded_from.as_deref() else {
            return Err(Refused::because(format!(
                "run `{}` is no grading",
                folder.id()
            )));
        };
        if origin == self.folder.id().as_str() {
            return Ok(Graded {
                resumed: Some(named),
                ..self
            });
        }
        // The newest run is often the grading itself.
        if folder.id() != self.folder.id() {
            let (named, asked) = (folder.id(), self.folder.id());
            let message = format!("run `{named}` is a grading of `{origin}`, not of `{asked}`");
            return Err(Refused::because(message));
        }
        self.of_origin(named)
    }

    fn of_origin(self, grading: (RunFolder, RunRecord)) -> Result<Graded, Refused> {
        let origin = grading.1.graded_from.clone().unwrap_or_default();
        let (folder, record) = find(&self.results, &origin)?;
        Ok(Graded {
            folder,
            record,
            results: self.results,
            resumed: Some(grading),
        })
    }

    /// With the newest grading of the run by the same evaluators; where there is none, with the run
    /// itself if that is one.
    fn going_on(self, evaluators_file: Option<&str>) -> Result<Graded, Refused> {
        if let Some(newest) = self.newest(evaluators_file)? {
            return Ok(Graded {
                resumed: Some(newest),
                ..self
            });
        }
        if self.record.graded_from.is_some()
            && self.record.evaluators_file.as_deref() == evaluators_file
        {
            let itself = (self.folder.clone(), self.record.clone());
            return self.of_origin(itself);
        }
        let message = format!(
            "there is no grading of run `{}` by these evaluators in `{}`",
            self.folder.id(),
            output::from_here(Path::new(&self.results)).display()
        );
        let hint = "leave `--resume` out to begin one, or name one with `--resume=RUN`".to_owned();
        Err(Refused::with_hint(message, Some(hint)))
    }

    fn newest(
        &self,
        evaluators_file: Option<&str>,
    ) -> Result<Option<(RunFolder, RunRecord)>, Refused> {
        let runs = list_runs(&self.results).map_err(|error| Refused::because(error.to_string()))?;
        let mut gradings = runs.into_iter().filter_map(|run| {
            let record = run.folder.run::<RunRecord>().ok().flatten()?;
            let is_meant = record.graded_from.as_deref() == Some(self.folder.id().as_str())
                && record.evaluators_file.as_deref() == evaluators_file;
            is_meant.then_some((run.folder, record))
        });
        Ok(gradings.next())
    }
}
