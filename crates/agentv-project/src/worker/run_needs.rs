//! The needs of a run's trials on other machines.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agentv_core::{Effort, Trial, WorkspaceSource};
use agentv_evaluators::effort;
use agentv_runner::RunWorkspaces;

use super::needs::{FileFinder, NeededFile, NeededTree, TrialNeeds, TrialNeedsError};
use super::spec::{Roots, WorkerSpec};

/// The needs of a run's trials on other machines: the description for workers, and the files.
pub struct RunNeeds {
    spec: WorkerSpec,
    /// The roots of the project on this machine, by their numbers.
    finder: FileFinder,
    workspaces: Option<Arc<RunWorkspaces>>,
    trees: Mutex<HashMap<String, PathBuf>>,
}

impl RunNeeds {
    pub(crate) fn new(spec: WorkerSpec, workspaces: Option<Arc<RunWorkspaces>>) -> RunNeeds {
        RunNeeds {
            spec,
            finder: FileFinder::default(),
            workspaces,
            trees: Mutex::default(),
        }
    }

    /// Returns the description for workers.
    pub fn spec(&self) -> &WorkerSpec {
        &self.spec
    }

    /// Returns true if the grading of a trial needs no judge and no command.
    pub fn is_quick(&self, trial: &Trial) -> bool {
        let graders = trial.case.graders();
        let mut efforts = graders.iter().map(effort);
        efforts.all(|effort| effort == Effort::Check)
    }

    /// Returns the path of a file on this machine.
    pub fn path_of(&self, file: &NeededFile) -> PathBuf {
        self.spec.roots.original(file.root).join(&file.path)
    }

    /// Returns the folder of a tree on this machine, if a trial needed it.
    pub fn folder_of(&self, tree: &NeededTree) -> Option<PathBuf> {
        let trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        trees.get(&tree.digest).cloned()
    }

    /// Returns the files that a trial needs besides those of the run.
    ///
    /// # Errors
    /// If a file cannot be sent.
    pub async fn of_trial(&self, trial: &Trial) -> Result<TrialNeeds, TrialNeedsError> {
        Ok(TrialNeeds {
            files: self.finder.files_of(trial, &self.spec.roots)?,
            tree: self.tree_of(trial).await?,
        })
    }

    async fn tree_of(&self, trial: &Trial) -> Result<Option<NeededTree>, TrialNeedsError> {
        let workspace = trial.case.workspace.as_deref();
        let Some(workspace) = workspace.filter(|workspace| workspace.from.is_some()) else {
            return Ok(None);
        };
        let Some(workspaces) = &self.workspaces else {
            return Ok(None);
        };
        let exported = workspaces.exported(workspace, &trial.file.root).await?;
        let digest = workspace.from.as_ref().map(WorkspaceSource::digest);
        let digest = digest.unwrap_or_default().to_owned();
        let mut trees = self.trees.lock().unwrap_or_else(PoisonError::into_inner);
        trees.insert(digest.clone(), exported);
        Ok(Some(NeededTree { digest }))
    }
}

/// Returns the files of a run that every trial needs: those inside of its projects.
pub(crate) fn shared_files(paths: &[PathBuf], roots: &Roots) -> Vec<NeededFile> {
    let finder = FileFinder::default();
    let mut files: Vec<NeededFile> = Vec::new();
    for path in paths {
        // A program of the machine is there, or is missed by name.
        if let Ok(file) = finder.file(path, roots)
            && !files.contains(&file)
        {
            files.push(file);
        }
    }
    files
}

/// Returns the targets file that a request names.
pub(crate) fn named_file(path: &Path, roots: &Roots) -> Result<NeededFile, TrialNeedsError> {
    FileFinder::default().file(path, roots)
}
