//! The project around an eval file: its root, and the settings in `.agentv/config.yaml`.

use std::path::{Path, PathBuf};

/// The root folder of a project, and the folder of an eval file in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// The nearest parent with `.git`, else the nearest with `.agentv`, else the eval file's folder.
    pub root: PathBuf,
    /// The eval file's folder.
    pub folder: PathBuf,
}

impl Project {
    /// Returns the project of an eval file in `folder`, which must be an absolute path without links.
    pub fn around(folder: &Path) -> Project {
        let nearest_with = |marker: &str| {
            folder
                .ancestors()
                .find(|parent| parent.join(marker).exists())
        };
        let root = nearest_with(".git")
            .or_else(|| nearest_with(".agentv"))
            .unwrap_or(folder);
        Project {
            root: root.to_owned(),
            folder: folder.to_owned(),
        }
    }

    /// Returns the folders from the eval file's own up to the root.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folder
            .ancestors()
            .take_while(|folder| folder.starts_with(&self.root))
    }

    /// Returns the settings file that applies: the nearest one upwards.
    pub fn config_file(&self) -> Option<PathBuf> {
        self.folders()
            .map(|folder| folder.join(".agentv").join("config.yaml"))
            // A pipe or a folder of that name is a mistake to report, not an absence.
            .find(|file| file.symlink_metadata().is_ok())
    }

    /// Returns the judge that the settings file names, for targets that name none.
    pub fn judge_target(&self) -> Option<String> {
        crate::config::judge_target(self)
    }

    /// Returns a path as records show it: relative to the root if it is inside, `/` between parts.
    pub fn display(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.root).unwrap_or(path);
        let shown = shown.to_string_lossy();
        if std::path::MAIN_SEPARATOR == '/' {
            shown.into_owned()
        } else {
            shown.replace(std::path::MAIN_SEPARATOR, "/")
        }
    }
}

/// Returns the folder that a path is in, as written.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Returns the relative path from the folder `from` to `to`, both absolute and without links.
pub(crate) fn relative_path(from: &Path, to: &Path) -> PathBuf {
    let shared = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(shared).map(|_| "..");
    let down = to.components().skip(shared).map(|part| part.as_os_str());
    up.map(std::ffi::OsStr::new).chain(down).collect()
}
