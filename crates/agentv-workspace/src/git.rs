//! Exports a commit, and makes the only commit of a new repository.

use std::io;
use std::path::Path;
use std::process::Command;

use crate::error::WorkspaceError;

/// The name, address and date of the only commit. A fixed date makes its hash depend on its files
/// alone.
const AUTHOR: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "agentv"),
    ("GIT_AUTHOR_EMAIL", "agentv@localhost"),
    ("GIT_AUTHOR_DATE", "2000-01-01T00:00:00Z"),
    ("GIT_COMMITTER_NAME", "agentv"),
    ("GIT_COMMITTER_EMAIL", "agentv@localhost"),
    ("GIT_COMMITTER_DATE", "2000-01-01T00:00:00Z"),
];

/// A commit that was found in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCommit {
    /// The full name of the commit.
    pub commit: String,
    /// The full name of its tree, which is git's digest of its files.
    pub tree: String,
}

/// Finds a commit by any name that git knows.
///
/// # Errors
/// Fails if git is not installed, or if there is no such repository or commit.
pub fn find_commit(repository: &Path, commit: &str) -> Result<FoundCommit, WorkspaceError> {
    let action = format!("find commit `{commit}` of");
    let find = |kind: &str| {
        let mut command = clean_git(repository);
        // The suffix also refuses a name that starts with a dash.
        let name = format!("{commit}^{{{kind}}}");
        command.args(["rev-parse", "--verify", "--quiet", "--end-of-options"]);
        command.arg(name);
        let found = run(command, &action, repository);
        let found = found.map_err(|error| no_commit(error, repository))?;
        Ok::<_, WorkspaceError>(String::from_utf8_lossy(&found).trim().to_owned())
    };
    Ok(FoundCommit {
        commit: find("commit")?,
        tree: find("tree")?,
    })
}

/// Explains the error of a search in which git printed nothing.
fn no_commit(error: WorkspaceError, repository: &Path) -> WorkspaceError {
    match error {
        WorkspaceError::Git {
            message, action, ..
        } if message.is_empty() => WorkspaceError::Git {
            action,
            repository: repository.to_owned(),
            message: "there is no such commit".to_owned(),
        },
        error => error,
    }
}

/// Writes the files of a commit into an empty folder, without history. Submodules are empty folders.
///
/// `git archive` would leave out what the attribute `export-ignore` names, so the commit is read into
/// an index of its own and checked out from there.
pub(crate) fn check_out(
    repository: &Path,
    commit: &str,
    into: &Path,
) -> Result<(), WorkspaceError> {
    let index = tempfile::tempdir().map_err(WorkspaceError::at("create a folder for", into))?;
    let index = index.path().join("index");
    let action = format!("export commit `{commit}` of");
    let git = |arguments: &[&str]| {
        let mut command = clean_git(repository);
        command.env("GIT_INDEX_FILE", &index).args(arguments);
        run(command, &action, repository)
    };
    let hash = find_commit(repository, commit)?.commit;
    git(&["read-tree", &hash])?;
    let mut prefix = into.to_string_lossy().into_owned();
    prefix.push('/');
    git(&["checkout-index", "--all", "--force", "--prefix", &prefix])?;
    Ok(())
}

/// Makes `folder` a repository with one commit of everything in it.
pub(crate) fn commit_everything(folder: &Path) -> Result<(), WorkspaceError> {
    let git = |arguments: &[&str]| {
        let mut command = clean_git(folder);
        command.envs(AUTHOR).args(arguments);
        run(command, "make a repository in", folder)
    };
    git(&["init", "--quiet", "--template=", "--initial-branch=main"])?;
    git(&["add", "--all", "--force", "."])?;
    git(&[
        "commit",
        "--quiet",
        "--allow-empty",
        "--no-verify",
        "--message=Start",
    ])?;
    // The home folder of a trial has no settings of git, without which nobody could commit.
    git(&["config", "user.name", "agentv"])?;
    git(&["config", "user.email", "agentv@localhost"])?;
    Ok(())
}

/// Returns git with its own settings only: neither the user's configuration nor variables of the
/// environment, no hooks, no watcher of the file system, no maintenance in the background.
fn clean_git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env(
            "GIT_CONFIG_GLOBAL",
            if cfg!(windows) { "NUL" } else { "/dev/null" },
        )
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .arg("-C")
        .arg(folder)
        .args(["-c", "core.fsmonitor=false"])
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(["-c", "core.autocrlf=false"])
        .args(["-c", "commit.gpgSign=false"])
        .args(["-c", "maintenance.auto=false"])
        // A repository of another user, as in a container, is only read here.
        .args(["-c", "safe.directory=*"]);
    command
}

fn run(mut command: Command, action: &str, repository: &Path) -> Result<Vec<u8>, WorkspaceError> {
    command.stdin(std::process::Stdio::null());
    let output = command.output().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => WorkspaceError::NoGit(repository.to_owned()),
        _ => WorkspaceError::at("run git in", repository)(error),
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    let last = printed.lines().rev().find(|line| !line.trim().is_empty());
    Err(WorkspaceError::Git {
        action: action.to_owned(),
        repository: repository.to_owned(),
        message: last.unwrap_or_default().to_owned(),
    })
}
