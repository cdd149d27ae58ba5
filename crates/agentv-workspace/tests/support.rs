//! A place with workspaces, for tests.

use std::fs;
use std::path::Path;

use agentv_core::{ChangeKind, FileChange};
use agentv_workspace::{
    Changes, DiffLimits, Snapshot, Template, TemplateSource, Workspace, Workspaces,
};
use tempfile::TempDir;

/// A folder with the workspaces of one run, and a template.
pub(crate) struct TestProject {
    pub(crate) workspaces: Workspaces,
    pub(crate) template: Template,
    pub(crate) folder: TempDir,
}

impl TestProject {
    /// Makes a folder with a template of these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> TestProject {
        let source = folder_of(files);
        TestProject::of(&TemplateSource::Folder(source.path().into()))
    }

    pub(crate) fn of(source: &TemplateSource) -> TestProject {
        let folder = tempfile::tempdir().unwrap();
        let workspaces = Workspaces::open_in(folder.path()).unwrap();
        let template = workspaces.export(source).unwrap();
        TestProject {
            workspaces,
            template,
            folder,
        }
    }

    /// Starts a trial.
    pub(crate) fn trial(&self) -> Started {
        let workspace = self.workspaces.create(&self.template).unwrap();
        let before = workspace.first_snapshot(&self.template);
        Started { workspace, before }
    }
}

/// A workspace and its state at the start.
pub(crate) struct Started {
    pub(crate) workspace: Workspace,
    pub(crate) before: Snapshot,
}

impl Started {
    pub(crate) fn work(&self) -> &Path {
        self.workspace.work()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.work().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn changes(&self) -> Changes {
        let limits = DiffLimits::default();
        self.workspace.changes(&self.before, &limits).unwrap()
    }

    /// Returns the kind and path of every change.
    pub(crate) fn listed(&self) -> Vec<(ChangeKind, String)> {
        let files = self.changes().files.into_iter();
        files.map(|file| (file.kind, file.path)).collect()
    }

    pub(crate) fn change_of(&self, path: &str) -> FileChange {
        let mut files = self.changes().files.into_iter();
        files.find(|file| file.path == path).unwrap()
    }
}

pub(crate) fn folder_of(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// Counts all entries below a folder.
pub(crate) fn entries_below(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let entries = entries.flatten();
    entries
        .map(|entry| {
            let inner = entry.file_type().unwrap().is_dir();
            1 + if inner {
                entries_below(&entry.path())
            } else {
                0
            }
        })
        .sum()
}
