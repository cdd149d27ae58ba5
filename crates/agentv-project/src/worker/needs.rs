//! The files that a trial needs on another machine.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use agentv_core::{Block, Content, Trial};
use agentv_runner::{NoWorkspace, digest_of_file};
use serde::{Deserialize, Serialize};

use super::spec::Roots;

/// A file that must exist where a trial is executed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NeededFile {
    /// The number of the root that contains it.
    pub root: usize,
    /// The path from there.
    pub path: PathBuf,
    /// The digest of its bytes, as 32 hexadecimal digits.
    pub digest: String,
    /// True if it can be executed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_executable: bool,
}

/// The files that a workspace starts with.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NeededTree {
    /// The digest of the files: that of the folder, or of the commit's tree.
    pub digest: String,
}

/// The files that a trial needs besides those that all trials of its run need.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrialNeeds {
    /// The files of its messages and evaluators.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<NeededFile>,
    /// The files that its workspace starts with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<NeededTree>,
}

/// A file that a trial needs and that cannot be sent.
#[derive(Debug, thiserror::Error)]
pub enum TrialNeedsError {
    /// It is outside of the project.
    #[error(
        "`{0}` is outside of the project, so no other machine can have it; move it into the project"
    )]
    Outside(PathBuf),
    /// The workspace cannot be exported.
    #[error("the workspace cannot be sent: {0}")]
    Workspace(#[from] NoWorkspace),
    /// It cannot be read.
    #[error("`{path}` cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Finds the files that trials need, and reads each once.
#[derive(Debug, Default)]
pub(super) struct FileFinder {
    known: Mutex<HashMap<PathBuf, NeededFile>>,
}

impl FileFinder {
    /// Returns a file by its absolute path.
    pub(super) fn file(&self, path: &Path, roots: &Roots) -> Result<NeededFile, TrialNeedsError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(path) {
            return Ok(known.clone());
        }
        let plain = without_parents(path);
        let place = roots
            .place(&plain)
            .filter(|(_, inside)| !has_parents(inside));
        let Some((root, inside)) = place else {
            return Err(TrialNeedsError::Outside(path.to_owned()));
        };
        let unreadable = |source| TrialNeedsError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let metadata = path.metadata().map_err(unreadable)?;
        let needed = NeededFile {
            root,
            path: inside.to_owned(),
            digest: digest_of_file(path).map_err(unreadable)?,
            is_executable: is_executable(&metadata),
        };
        known.insert(path.to_owned(), needed.clone());
        Ok(needed)
    }

    /// Returns the files of a trial's messages and evaluators.
    pub(super) fn files_of(
        &self,
        trial: &Trial,
        roots: &Roots,
    ) -> Result<Vec<NeededFile>, TrialNeedsError> {
        let read = trial.files.iter().map(|file| file.path.to_path_buf());
        let mut files = Vec::new();
        for path in read.chain(paths_of(trial)) {
            let file = self.file(&path, roots)?;
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Ok(files)
    }
}

/// Returns a path without `..`, as far as that names the same file. It does not after a link to a folder.
fn without_parents(path: &Path) -> Cow<'_, Path> {
    if !has_parents(path) {
        return Cow::Borrowed(path);
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    let is_same = match (plain.canonicalize(), path.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    };
    if is_same {
        Cow::Owned(plain)
    } else {
        Cow::Borrowed(path)
    }
}

/// Returns true if a path contains `..`.
fn has_parents(path: &Path) -> bool {
    path.components().any(|part| part == Component::ParentDir)
}

/// Returns the paths of the files that the messages of a case name.
fn paths_of(trial: &Trial) -> Vec<PathBuf> {
    let root = &trial.file.root;
    let contents = trial.case.input_messages.iter();
    let contents = contents.filter_map(|message| message.content.as_ref());
    let mut paths = Vec::new();
    for content in contents {
        let Content::Blocks(blocks) = content else {
            continue;
        };
        for block in blocks {
            let path = match block {
                Block::File(file) => file.path.as_ref().map(|path| root.join(path)),
                Block::Other(fields) => fields
                    .get("path")
                    .and_then(|path| path.as_str())
                    .map(|path| root.join(path)),
                Block::Text(_) => None,
            };
            paths.extend(path.filter(|path| path.is_file()));
        }
    }
    paths
}

/// Checks if a file is a program, where files say so.
pub fn is_executable(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}
