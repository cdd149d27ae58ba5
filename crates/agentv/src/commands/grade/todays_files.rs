//! The eval files of an earlier run as they are today.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentv_dataset::{Checked, Dataset, LoadOptions, Severity, sidecar_path};
use agentv_runner::{CaseSource, EvalFile, SourceError, SourceRun, Visit};

use crate::diagnostics::Teller;
use crate::output;

/// The eval files of an earlier run, in the order in which it met them, and those that can be used
/// today.
pub(super) struct TodaysFiles {
    files: Vec<Arc<EvalFile>>,
    usable: Vec<(usize, Dataset, Checked)>,
    missing: Vec<PathBuf>,
    paths: Vec<PathBuf>,
}

impl TodaysFiles {
    /// Looks for the files from `root`, and checks them where there are `options` to load by. What
    /// cannot be used is told: its cases are graded as they were recorded.
    pub(super) fn open(
        origin: &SourceRun,
        root: &Path,
        options: Option<&LoadOptions>,
    ) -> TodaysFiles {
        let mut todays = TodaysFiles {
            files: Vec::new(),
            usable: Vec::new(),
            missing: Vec::new(),
            paths: Vec::new(),
        };
        for (index, asked) in origin.files().iter().enumerate() {
            let path = root.join(&*asked.name);
            let opened = match options {
                Some(_) if !path.is_file() => {
                    todays.missing.push(path.clone());
                    None
                }
                Some(options) => open(&path, options),
                None => None,
            };
            let project = opened.as_ref().map(|(dataset, _)| dataset.project());
            let folder = match project {
                Some(project) => &project.folder,
                None => path
                    .parent()
                    .filter(|folder| folder.is_dir())
                    .unwrap_or(root),
            };
            todays.files.push(Arc::new(EvalFile {
                index,
                name: Arc::clone(&asked.name),
                folder: folder.into(),
                root: project.map_or(root, |project| &project.root).into(),
            }));
            todays.paths.extend(sidecar_path(&path));
            todays.paths.push(path);
            let opened = opened.map(|(dataset, checked)| (index, dataset, checked));
            todays.usable.extend(opened);
        }
        todays
    }

    /// All files of the run, whether they can be used or not.
    pub(super) fn files(&self) -> &[Arc<EvalFile>] {
        &self.files
    }

    /// Those that are not there.
    pub(super) fn missing(&self) -> Vec<PathBuf> {
        self.missing.clone()
    }

    /// The indexes of those that can be used.
    pub(super) fn usable(&self) -> Vec<usize> {
        self.usable.iter().map(|(index, ..)| *index).collect()
    }

    /// Where they are looked for, and their sidecars.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        self.paths.clone()
    }
}

fn open(path: &Path, options: &LoadOptions) -> Option<(Dataset, Checked)> {
    let shown = output::from_here(path);
    let teller = Teller::for_loading();
    let cannot = || {
        output::warning(&format!(
            "`{}` cannot be used today: its cases are graded as recorded",
            shown.display()
        ));
    };
    let dataset = match Dataset::open(&shown, options) {
        Ok(dataset) => dataset,
        Err(error) => {
            teller.tell_error(&error.diagnostic);
            cannot();
            return None;
        }
    };
    let checked = dataset.check(&mut |diagnostic| {
        teller.tell_error(&diagnostic);
        match diagnostic.severity() {
            Severity::Fatal => ControlFlow::Break(()),
            Severity::Error | Severity::Warning => ControlFlow::Continue(()),
        }
    });
    if checked.fatal {
        cannot();
        return None;
    }
    Some((dataset, checked))
}

impl CaseSource for TodaysFiles {
    fn visit(&self, visit: &mut Visit<'_>) -> Result<(), SourceError> {
        let failed = |error: agentv_dataset::LoadError| SourceError(error.to_string());
        for (index, dataset, checked) in &self.usable {
            for case in dataset.cases(checked).map_err(failed)? {
                if visit(&self.files[*index], case.map_err(failed)?).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
