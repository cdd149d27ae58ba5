//! Templates: the files that trials start with.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::file_state::{FileContent, Stamp};

/// The origin of a template.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TemplateSource {
    /// Nothing: an empty folder.
    Empty,
    /// A folder. Repositories in it (`.git`) are not copied: their history may hold the answer.
    Folder(PathBuf),
    /// A folder whose files become the only commit of a new repository without remotes.
    Committed(PathBuf),
    /// The files of one commit, as the only commit of a new repository without remotes.
    Commit {
        /// The repository, or a folder in its working tree.
        repository: PathBuf,
        /// The commit, by any name that git knows.
        commit: String,
    },
}

/// The content that trials start with, exported once per run.
#[derive(Debug)]
pub struct Template {
    pub(crate) folder: PathBuf,
    /// A folder comes before its content.
    pub(crate) entries: Vec<TemplateEntry>,
    pub(crate) digest: String,
    /// False once the file system has refused to let copies share the blocks of the template.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(dead_code, reason = "only Linux is asked to share blocks")
    )]
    pub(crate) shares_blocks: AtomicBool,
}

impl Template {
    /// Returns the digest of all paths, contents, links and executable bits, as 64 hex digits. The
    /// repository of an exported commit is not part of it.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the folder that holds the exported files. Only read it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// One entry of a template.
#[derive(Debug)]
pub(crate) struct TemplateEntry {
    pub(crate) path: PathBuf,
    pub(crate) kind: TemplateEntryKind,
}

#[derive(Debug)]
pub(crate) enum TemplateEntryKind {
    Folder,
    Link(PathBuf),
    File {
        stamp: Stamp,
        /// None in the repository of an exported commit.
        content: Option<FileContent>,
    },
}
