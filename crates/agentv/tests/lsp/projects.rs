//! Projects on disk, and the rows of `agentv validate`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// A project in a temporary folder.
pub(crate) struct TestProject {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
}

impl TestProject {
    /// Creates a project with these files.
    pub(crate) fn of(files: &[(&str, &str)]) -> TestProject {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir(root.join(".git")).unwrap();
        let project = TestProject {
            _folder: folder,
            root,
        };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

/// Returns the rows that `agentv validate` prints about a file itself, sorted. The folder of the project is
/// written as `ROOT`.
pub(crate) fn validated(root: &Path, file: &str) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_agentv"))
        .args(["validate", "--format", "json", file])
        .current_dir(root)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rows = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    sorted(rows.filter(|row| row["file"] == file), root)
}

/// Returns the rows in published diagnostics, sorted.
pub(crate) fn published(diagnostics: &Value, root: &Path) -> Vec<String> {
    let rows = diagnostics.as_array().unwrap().iter();
    sorted(rows.filter_map(|row| row.get("data").cloned()), root)
}

fn sorted(rows: impl Iterator<Item = Value>, root: &Path) -> Vec<String> {
    let root = root.to_string_lossy();
    let mut rows: Vec<String> = rows
        .map(|mut row| {
            row.sort_all_objects();
            row.to_string().replace(&*root, "ROOT")
        })
        .collect();
    rows.sort();
    rows
}
