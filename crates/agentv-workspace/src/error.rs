//! Errors of workspaces.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a workspace could not be made, read or removed.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// A file or folder could not be handled.
    #[error("cannot {action} `{path}`")]
    File {
        /// The attempted action, such as `read`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: io::Error,
    },
    /// The template is not a folder.
    #[error("`{0}` is not a folder")]
    NotAFolder(PathBuf),
    /// Git is not installed.
    #[error("`git` is not installed, and `{0}` is a git repository to export from")]
    NoGit(PathBuf),
    /// Git refused.
    #[error("git cannot {action} `{repository}`: {message}")]
    Git {
        /// The attempted action, such as `export commit abc of`.
        action: String,
        /// The repository.
        repository: PathBuf,
        /// The last line that git printed.
        message: String,
    },
    /// Another process has changed the template since it was exported.
    #[error("`{0}` of the template was changed during the run")]
    TemplateChanged(PathBuf),
    /// The place for workspaces belongs to somebody else, or others can write to it.
    #[error("`{0}` is not a private folder of this user; set AGENTV_WORKSPACES to another folder")]
    NotPrivate(PathBuf),
    /// Every possible place is inside the project or below instructions for agents.
    #[error(
        "no place for workspaces: {} (set AGENTV_WORKSPACES to a folder outside the project)",
        reasons.join("; ")
    )]
    NoPlace {
        /// One reason per place.
        reasons: Vec<String>,
    },
}

impl WorkspaceError {
    /// Returns a function that names the action and the path of an error, for `map_err`.
    pub(crate) fn at(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| WorkspaceError::File {
            action,
            path,
            source,
        }
    }
}
