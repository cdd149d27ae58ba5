//! A folder of files as a list, for workspaces on other machines.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use agentv_runner::digest_of_file;
use serde::{Deserialize, Serialize};

use crate::platform::is_executable;

/// The list of a folder's content. Each folder comes before its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TreeManifest {
    pub(crate) entries: Vec<TreeEntry>,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TreeEntry {
    /// A folder.
    Folder {
        /// The path.
        path: PathBuf,
    },
    /// A link.
    Link {
        /// The path.
        path: PathBuf,
        /// The target of the link, as written.
        target: PathBuf,
    },
    /// A file.
    File {
        /// The path.
        path: PathBuf,
        /// The digest of its bytes.
        digest: String,
        /// True if it can be executed.
        is_executable: bool,
    },
}

impl TreeManifest {
    /// Returns the name of the manifest of the tree with a digest.
    pub(crate) fn name(digest: &str) -> String {
        format!("tree-{digest}")
    }
}

/// Lists a folder, without repositories.
pub(crate) fn entries_of(folder: &Path) -> io::Result<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(folder.join(&inside))? {
            let entry = entry?;
            if entry.file_name() == ".git" {
                continue;
            }
            let path = inside.join(entry.file_name());
            let kind = entry.file_type()?;
            if kind.is_dir() {
                entries.push(TreeEntry::Folder { path: path.clone() });
                open.push(path);
            } else if kind.is_symlink() {
                let target = fs::read_link(entry.path())?;
                entries.push(TreeEntry::Link { path, target });
            } else {
                entries.push(TreeEntry::File {
                    digest: digest_of_file(&entry.path())?,
                    path,
                    is_executable: is_executable(&entry.metadata()?),
                });
            }
        }
    }
    Ok(entries)
}
