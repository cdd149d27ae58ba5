//! The part of a run that a worker needs besides its trials.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentv_core::{EvalFile, FileDigest, Trial};
use serde::{Deserialize, Serialize};

use super::needs::NeededFile;

/// Everything that a worker needs to execute the trials of a run, besides them. It holds no secrets: a worker
/// has its own environment variables.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerSpec {
    /// The version of agentv that coordinates the run.
    pub version: String,
    /// The folders that contain the project's files on the coordinating machine.
    pub roots: Roots,
    /// The eval files.
    pub files: Vec<EvalFile>,
    /// The targets, then the targets that only judge.
    pub lanes: Vec<WorkerLane>,
    /// The number of lanes that answer.
    pub answering: usize,
    /// The files that every trial needs, such as targets files and programs.
    pub needed: Vec<NeededFile>,
    /// The suites among `needed` that define targets of their own, by the indices of their eval files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suites: Vec<(usize, NeededFile)>,
    /// The targets file that the request names, as one of `needed`.
    pub targets_file: Option<NeededFile>,
    /// The judge that the request names.
    pub judge: Option<String>,
    /// The time limit for an attempt, if the request has one.
    pub timeout: Option<Duration>,
    /// The number of retries, if the request has one.
    pub max_retries: Option<u32>,
    /// True if no command may be run that the user did not choose.
    pub no_scripts: bool,
    /// The shortest and the longest time of mocks that replace all targets.
    pub dry_run: Option<(Duration, Duration)>,
    /// True if cases may name files outside of the project.
    pub allow_outside_root: bool,
    /// True if evaluators with more effort are skipped after a required one has failed the case.
    pub stop_on_required: bool,
    /// True if results hold the messages of the target.
    pub include_trace: bool,
    /// True if records hold requests and responses as they were sent.
    pub include_raw: bool,
    /// True if any trial may need a workspace.
    pub has_workspaces: bool,
}

/// A target of the run, or a judge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WorkerLane {
    /// The name of the target.
    pub name: String,
    /// The eval files that use it, by their indices, and the name by which each does.
    pub uses: Vec<(usize, String)>,
    /// True if the coordinating process admits each call, because all machines share the limits.
    pub has_shared_limits: bool,
}

/// The folders that contain the files of a run: the roots of its projects.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Returns the roots of eval files.
    pub(crate) fn of<'f>(files: impl Iterator<Item = &'f EvalFile>) -> Roots {
        let mut roots: Vec<PathBuf> = Vec::new();
        for file in files {
            if !roots.iter().any(|root| *root == *file.root) {
                roots.push(file.root.to_path_buf());
            }
        }
        Roots(roots)
    }

    /// Returns the number of the innermost root that contains a path, and the path from there.
    pub(super) fn place<'p>(&self, path: &'p Path) -> Option<(usize, &'p Path)> {
        let places = self.0.iter().enumerate();
        let inside = places.filter_map(|(number, root)| {
            let inside = path.strip_prefix(root).ok()?;
            Some((number, inside))
        });
        inside.min_by_key(|(_, inside)| inside.components().count())
    }

    /// Returns the folder of a root on the coordinating machine.
    pub(super) fn original(&self, number: usize) -> &Path {
        self.0.get(number).map_or(Path::new(""), PathBuf::as_path)
    }

    /// Returns the folder that stands in for a root, under the folder of a worker.
    pub fn folder(&self, number: usize, base: &Path) -> PathBuf {
        base.join(format!("project-{}", number + 1))
    }

    /// Returns a path as it is under the folder of a worker; paths outside of all roots stay as they are.
    fn moved(&self, path: &Path, base: &Path) -> PathBuf {
        match self.place(path) {
            Some((number, inside)) => self.folder(number, base).join(inside),
            None => path.to_owned(),
        }
    }
}

impl WorkerSpec {
    /// Returns a trial as it is under the folder of a worker.
    pub fn moved(&self, trial: Trial, base: &Path) -> Trial {
        let moved = |path: &Path| -> Arc<Path> { self.roots.moved(path, base).into() };
        let files = trial.files.iter().map(|file| FileDigest {
            path: moved(&file.path),
            digest: file.digest.clone(),
        });
        Trial {
            files: files.collect(),
            file: Arc::new(self.moved_file(&trial.file, base)),
            ..trial
        }
    }

    pub(super) fn moved_file(&self, file: &EvalFile, base: &Path) -> EvalFile {
        EvalFile {
            folder: self.roots.moved(&file.folder, base).into(),
            root: self.roots.moved(&file.root, base).into(),
            ..file.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_moves_with_its_innermost_root() {
        let roots = Roots(vec!["/home/a".into(), "/home/a/inner".into()]);
        let moved = |path: &str| roots.moved(Path::new(path), Path::new("/w"));
        assert_eq!(moved("/home/a/x.yaml"), Path::new("/w/project-1/x.yaml"));
        assert_eq!(
            moved("/home/a/inner/x.yaml"),
            Path::new("/w/project-2/x.yaml")
        );
        assert_eq!(moved("/etc/passwd"), Path::new("/etc/passwd"));
    }
}
