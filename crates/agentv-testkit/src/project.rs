//! A folder with files for a test.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder of its own, removed with everything in it at the end.
#[derive(Debug)]
pub struct Project {
    folder: TempDir,
    root: PathBuf,
}

impl Project {
    /// A folder with these files, given by path and content. Folders are made as needed.
    ///
    /// ```
    /// use agentv_testkit::Project;
    ///
    /// let project = Project::new(&[("evals/a.jsonl", "{}\n"), (".git/HEAD", "")]).unwrap();
    /// assert_eq!(project.read("evals/a.jsonl").unwrap(), "{}\n");
    /// ```
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new(files: &[(&str, &str)]) -> io::Result<Project> {
        let folder = tempfile::tempdir()?;
        // Programs name paths without links in them.
        let root = fs::canonicalize(folder.path())?;
        let project = Project { folder, root };
        for (path, content) in files {
            project.write(path, content)?;
        }
        Ok(project)
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Writes a file, and gives its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let path = self.path(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, content)?;
        Ok(path)
    }

    /// The content of a file.
    ///
    /// # Errors
    /// When it cannot be read, or is no text.
    pub fn read(&self, name: &str) -> io::Result<String> {
        fs::read_to_string(self.path(name))
    }

    /// Leaves the folder where it is, for somebody to look at.
    pub fn keep(self) -> PathBuf {
        self.folder.keep()
    }
}
