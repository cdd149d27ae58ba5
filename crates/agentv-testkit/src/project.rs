//! A folder with files for a test.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A temporary folder, which is removed with its content at the end.
#[derive(Debug)]
pub struct Project {
    folder: TempDir,
    root: PathBuf,
}

impl Project {
    /// Creates a folder with these files, given by path and content, and their folders.
    ///
    /// ```
    /// use agentv_testkit::Project;
    ///
    /// let project = Project::new(&[("evals/a.jsonl", "{}\n"), (".git/HEAD", "")]).unwrap();
    /// assert_eq!(project.read("evals/a.jsonl").unwrap(), "{}\n");
    /// ```
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn new(files: &[(&str, &str)]) -> io::Result<Project> {
        let folder = tempfile::tempdir()?;
        // Programs print paths without links.
        let root = fs::canonicalize(folder.path())?.join("project");
        fs::create_dir(&root)?;
        let project = Project { folder, root };
        for (path, content) in files {
            project.write(path, content)?;
        }
        Ok(project)
    }

    /// Returns the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path of a file beside the folder, which is removed with it.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.root.with_file_name(name)
    }

    /// Returns the path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file and returns its path.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, content)?;
        Ok(path)
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    /// Fails if it cannot be read, or is not text.
    pub fn read(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.path(name))
    }

    /// Keeps the folder, for inspection.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
