//! Workspaces: the private folder that a trial works in.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The workspace that a case asks for: the dataset's `workspace`, overridden key by key by the case's
/// own.
///
/// A case without one (`None` in [`EvalCase`](crate::EvalCase)) still gets an empty workspace if its
/// target always needs one ([`Provider::needs_workspace`](crate::Provider::needs_workspace)).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceSpec {
    /// The files that the workspace starts with (default: none).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<WorkspaceSource>,
    /// The commands that prepare the workspace, argv each, run in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<Vec<String>>,
    /// The commands that run after grading, argv each, run in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub teardown: Vec<Vec<String>>,
    /// The trials after which the workspace stays on disk.
    #[serde(default)]
    pub keep: KeepWorkspace,
    /// The seconds for all commands of `setup`, and again for those of `teardown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<u64>,
}

impl WorkspaceSpec {
    /// The time for `setup` and for `teardown`, unless the user sets another.
    const TIMEOUT: Duration = Duration::from_secs(1800);

    /// Returns the time for all commands of `setup`, and again for those of `teardown`.
    pub fn timeout(&self) -> Duration {
        self.timeout_seconds
            .map_or(Self::TIMEOUT, Duration::from_secs)
    }
}

/// The files that a workspace starts with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceSource {
    /// A folder. Repositories in it (`.git`) are not copied.
    Folder {
        /// The path from the project root; absolute if the folder is outside of it.
        path: String,
        /// A digest of the folder's paths, contents, links and executable bits.
        digest: String,
    },
    /// The files of a commit, without its history.
    Git {
        /// The path of the repository from the project root; absolute if it is outside of it.
        path: String,
        /// The full name of the commit.
        commit: String,
        /// The name of the commit's tree: git's digest of its files.
        tree: String,
    },
}

impl WorkspaceSource {
    /// Returns the digest of the content.
    pub fn digest(&self) -> &str {
        self.content().1
    }

    /// Returns the part of a source that can change an answer: the kind, and the digest of the content.
    pub(crate) fn content(&self) -> (&'static str, &str) {
        match self {
            WorkspaceSource::Folder { digest, .. } => ("folder", digest),
            WorkspaceSource::Git { tree, .. } => ("git", tree),
        }
    }
}

/// The trials after which a workspace stays on disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeepWorkspace {
    /// None.
    #[default]
    Never,
    /// Those that did not pass, including errored ones.
    OnFailure,
    /// All.
    Always,
}

impl KeepWorkspace {
    /// The names of all values, as written.
    pub const NAMES: &[&str] = &["never", "on_failure", "always"];

    /// Returns the value with this name.
    pub fn named(name: &str) -> Option<KeepWorkspace> {
        match name {
            "never" => Some(KeepWorkspace::Never),
            "on_failure" => Some(KeepWorkspace::OnFailure),
            "always" => Some(KeepWorkspace::Always),
            _ => None,
        }
    }
}

/// The folders of a trial's workspace, absolute and without links. They exist as long as the trial
/// lasts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceFolders {
    /// The folder that the target works in: a copy of the template, after `setup`.
    pub work: PathBuf,
    /// The home folder of the target: empty when the trial begins, except for what `setup` wrote.
    pub home: PathBuf,
    /// The folder for temporary files of the target.
    pub tmp: PathBuf,
}
