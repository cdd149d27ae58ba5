//! The eval files of an earlier run as they are today.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_dataset::{Checked, Dataset, LoadOptions, Severity, sidecar_path};
use agentv_runner::{CaseSource, EvalFile, SourceError, SourceRun, Visit};

use crate::notices::Notices;
use crate::project::Project;
use crate::targets::OpenSuite;

/// The eval files of an earlier run, in its order, and the datasets of those that can be used today.
pub(super) struct TodaysFiles {
    files: Vec<Arc<EvalFile>>,
    usable: Vec<(usize, Dataset, Checked)>,
    missing: Vec<PathBuf>,
    paths: Vec<PathBuf>,
    /// The path of each file, as the user knows it.
    shown: Vec<PathBuf>,
}

impl TodaysFiles {
    /// Finds the files below `root`, and checks them if there are `options` to load them with. Warns about
    /// files that cannot be used: their cases are graded as recorded.
    pub(super) fn open(
        origin: &SourceRun,
        root: &Path,
        options: Option<&LoadOptions>,
        project: &Project,
        notices: &mut dyn Notices,
    ) -> TodaysFiles {
        let mut todays = TodaysFiles {
            files: Vec::new(),
            usable: Vec::new(),
            missing: Vec::new(),
            paths: Vec::new(),
            shown: Vec::new(),
        };
        for (index, asked) in origin.files().iter().enumerate() {
            let path = root.join(&*asked.name);
            let opened = match options {
                Some(_) if !path.is_file() => {
                    todays.missing.push(path.clone());
                    None
                }
                Some(options) => open(&path, options, project, notices),
                None => None,
            };
            let of_file = opened.as_ref().map(|(dataset, _)| dataset.project());
            let folder = match of_file {
                Some(of_file) => &of_file.folder,
                None => path
                    .parent()
                    .filter(|folder| folder.is_dir())
                    .unwrap_or(root),
            };
            todays.files.push(Arc::new(EvalFile {
                index,
                name: Arc::clone(&asked.name),
                folder: folder.into(),
                root: of_file.map_or(root, |of_file| &of_file.root).into(),
            }));
            todays.shown.push(project.shown(&path));
            todays.paths.extend(sidecar_path(&path));
            todays.paths.push(path);
            let opened = opened.map(|(dataset, checked)| (index, dataset, checked));
            todays.usable.extend(opened);
        }
        todays
    }

    /// Returns all files of the run, usable or not.
    pub(super) fn files(&self) -> &[Arc<EvalFile>] {
        &self.files
    }

    /// Returns the files that do not exist.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        self.missing.clone()
    }

    /// Returns the indexes of the usable files.
    pub(super) fn usable(&self) -> Vec<usize> {
        self.usable.iter().map(|(index, ..)| *index).collect()
    }

    /// Returns the files that define targets of their own, by their indices.
    pub(super) fn suites(&self) -> HashMap<usize, OpenSuite<'_>> {
        let suites = self.usable.iter().filter_map(|(index, dataset, _)| {
            let suite = OpenSuite::of(dataset, self.shown.get(*index)?)?;
            Some((*index, suite))
        });
        suites.collect()
    }

    /// Returns the paths of all files and their sidecars.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.paths.clone()
    }
}

/// Opens and checks a file; `None` if it cannot be used, with a warning.
fn open(
    path: &Path,
    options: &LoadOptions,
    project: &Project,
    notices: &mut dyn Notices,
) -> Option<(Dataset, Checked)> {
    let shown = project.shown(path);
    let opened = check(&shown, options, notices);
    tracing::info!(path = %shown.display(), usable = opened.is_some(), "eval file opened");
    if opened.is_none() {
        notices.warn(format!(
            "`{}` is now invalid: its cases are graded as recorded",
            shown.display()
        ));
    }
    opened
}

fn check(
    path: &Path,
    options: &LoadOptions,
    notices: &mut dyn Notices,
) -> Option<(Dataset, Checked)> {
    let dataset = match Dataset::open(path, options) {
        Ok(dataset) => dataset,
        Err(error) => {
            notices.problem_or_skipped(*error.diagnostic);
            return None;
        }
    };
    let checked = dataset.check(&mut |diagnostic| {
        let is_fatal = diagnostic.severity() == Severity::Fatal;
        notices.problem_or_skipped(diagnostic);
        if is_fatal {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    (!checked.fatal).then_some((dataset, checked))
}

impl CaseSource for TodaysFiles {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        for (index, dataset, checked) in &self.usable {
            for case in dataset.cases(checked).map_err(SourceError::load)? {
                if visit(&self.files[*index], case.map_err(SourceError::load)?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
