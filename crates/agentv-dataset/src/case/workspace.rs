//! The `workspace` of a case: its settings as written, looked up and merged.

use std::path::Path;
use std::sync::Arc;

use agentv_core::{KeepWorkspace, WorkspaceSource, WorkspaceSpec};
use agentv_syntax::{Node, NodeKind, Problem};

use crate::files::{FileLibrary, FileProblem};

/// The settings of one `workspace`. Those that are absent come from the dataset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct WorkspaceSettings {
    from: Option<WorkspaceSource>,
    setup: Option<Vec<Vec<String>>>,
    teardown: Option<Vec<Vec<String>>>,
    keep: Option<KeepWorkspace>,
    timeout_seconds: Option<u64>,
}

impl WorkspaceSettings {
    /// Reads checked settings. The content of `from` is digested.
    ///
    /// # Errors
    /// Fails if `from` cannot be read.
    pub(crate) fn read(
        node: Node<'_>,
        files: &FileLibrary,
    ) -> Result<WorkspaceSettings, FileProblem> {
        let keep = node.given("keep").map(Node::text);
        Ok(WorkspaceSettings {
            from: match node.given("from") {
                Some(from) => Some(source(from, files)?),
                None => None,
            },
            setup: node.given("setup").map(commands),
            teardown: node.given("teardown").map(commands),
            keep: keep.and_then(|name| KeepWorkspace::named(&name)),
            timeout_seconds: node.given("timeout_seconds").and_then(seconds),
        })
    }

    /// Returns these settings over those of the dataset, key by key.
    pub(crate) fn over(self, dataset: Option<&WorkspaceSettings>) -> WorkspaceSettings {
        let Some(dataset) = dataset.cloned() else {
            return self;
        };
        WorkspaceSettings {
            from: self.from.or(dataset.from),
            setup: self.setup.or(dataset.setup),
            teardown: self.teardown.or(dataset.teardown),
            keep: self.keep.or(dataset.keep),
            timeout_seconds: self.timeout_seconds.or(dataset.timeout_seconds),
        }
    }

    /// Returns the settings of a case, with defaults for those that are absent.
    pub(crate) fn resolved(self) -> Arc<WorkspaceSpec> {
        Arc::new(WorkspaceSpec {
            from: self.from,
            setup: self.setup.unwrap_or_default(),
            teardown: self.teardown.unwrap_or_default(),
            keep: self.keep.unwrap_or_default(),
            timeout_seconds: self.timeout_seconds,
        })
    }
}

/// Returns a number of seconds, which was checked.
fn seconds(node: Node<'_>) -> Option<u64> {
    // A whole number of the range that was checked.
    node.as_f64().map(|seconds| seconds as u64)
}

fn commands(list: Node<'_>) -> Vec<Vec<String>> {
    list.items()
        .map(|command| command.items().map(|word| word.text().into()).collect())
        .collect()
}

/// Adds a problem if the content of a workspace cannot be used. Its shape was checked, and its folder
/// was looked up.
pub(crate) fn check_workspace(
    workspace: Option<Node<'_>>,
    files: &FileLibrary,
    problems: &mut Vec<Problem>,
) {
    let from = workspace.and_then(|workspace| workspace.given("from"));
    let Some(from) = from else { return };
    let problem = match (from.given("git"), from.given("commit")) {
        (Some(repository), Some(commit)) => {
            let Ok(folder) = files.find_template(&repository.text()) else {
                return;
            };
            let refused = files.find_commit(&folder, &commit.text()).err();
            refused.map(|problem| problem.at_commit(commit, "workspace.from.commit"))
        }
        _ if from.kind() != NodeKind::String => None,
        _ => {
            let Ok(folder) = files.find_template(&from.text()) else {
                return;
            };
            let refused = files.check_template(&folder).err();
            refused.map(|problem| problem.at_folder(from, "workspace.from"))
        }
    };
    problems.extend(problem);
}

fn source(from: Node<'_>, files: &FileLibrary) -> Result<WorkspaceSource, FileProblem> {
    let Some(repository) = from.given("git") else {
        let folder = files.find_template(&from.text())?;
        return Ok(WorkspaceSource::Folder {
            digest: files.digest_of_folder(&folder)?,
            path: shown(&folder, files),
        });
    };
    let folder = files.find_template(&repository.text())?;
    let commit = from.given("commit").map(Node::text).unwrap_or_default();
    let found = files.find_commit(&folder, &commit)?;
    Ok(WorkspaceSource::Git {
        path: shown(&folder, files),
        commit: found.commit,
        tree: found.tree,
    })
}

/// Returns a folder as records show it. The project root itself is `.`.
fn shown(folder: &Path, files: &FileLibrary) -> String {
    match files.project().display(folder) {
        shown if shown.is_empty() => ".".to_owned(),
        shown => shown,
    }
}
