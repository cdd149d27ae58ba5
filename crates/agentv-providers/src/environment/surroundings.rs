//! The folders around an eval file.

use std::path::{Path, PathBuf};

/// The folders around an eval file, all absolute. Its files are looked up in its own folder, then in
/// the parents up to the project root, then in the working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder of the eval file.
    pub folder: PathBuf,
    /// The root of the project.
    pub root: PathBuf,
    /// The working directory.
    pub working_dir: PathBuf,
}

/// The names of a targets file. The first that exists is used.
const TARGETS: &[&str] = &[
    "targets.yaml",
    "targets.yml",
    ".agentv/targets.yaml",
    ".agentv/targets.yml",
    ".agentv/providers.yaml",
    ".agentv/providers.yml",
];

impl Surroundings {
    /// Returns the nearest targets file.
    pub fn targets_file(&self) -> Option<PathBuf> {
        self.nearest(TARGETS)
    }

    /// Returns the nearest `.env` file.
    pub fn dotenv_file(&self) -> Option<PathBuf> {
        self.nearest(&[".env"])
    }

    fn nearest(&self, names: &[&str]) -> Option<PathBuf> {
        let upwards = self.folder.ancestors();
        let inside = upwards.take_while(|folder| folder.starts_with(&self.root));
        let folders = inside.chain(std::iter::once(self.working_dir.as_path()));
        let mut files = folders.flat_map(|folder| names.iter().map(move |name| folder.join(name)));
        files.find(|file| is_there(file))
    }
}

/// Checks for anything but a folder. A pipe or an unreadable file counts, so that it is reported and
/// not skipped.
fn is_there(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| !found.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_nearest_file_upwards_to_the_root_counts_and_then_the_working_directory() {
        let outside = tempfile::tempdir().unwrap();
        let root = outside.path().join("project");
        let folder = root.join("evals/deep");
        let working_dir = outside.path().join("work");
        fs::create_dir_all(root.join(".agentv")).unwrap();
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(working_dir.join(".agentv")).unwrap();
        let surroundings = Surroundings {
            folder: folder.clone(),
            root: root.clone(),
            working_dir: working_dir.clone(),
        };
        fs::write(outside.path().join("targets.yaml"), "").unwrap();
        assert_eq!(surroundings.targets_file(), None);
        for nearer in [
            working_dir.join(".agentv/targets.yml"),
            working_dir.join("targets.yml"),
            root.join(".agentv/targets.yml"),
            root.join(".agentv/targets.yaml"),
            root.join("targets.yml"),
            root.join("targets.yaml"),
            folder.join("targets.yaml"),
        ] {
            fs::write(&nearer, "").unwrap();
            assert_eq!(surroundings.targets_file(), Some(nearer));
        }
        fs::create_dir(folder.join(".env")).unwrap();
        fs::write(root.join(".env"), "").unwrap();
        assert_eq!(surroundings.dotenv_file(), Some(root.join(".env")));
    }
}
