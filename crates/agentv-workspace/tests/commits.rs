//! Exports of commits.

use std::fs;
use std::path::Path;
use std::process::Command;

use agentv_core::ChangeKind;
use agentv_workspace::{TemplateSource, WorkspaceError, Workspaces};

use crate::support::TestProject;

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=Test", "-c", "user.email=test@localhost"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Makes a repository whose second commit holds the answer.
fn repository() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    fs::write(folder.path().join("code.txt"), "broken\n").unwrap();
    fs::write(folder.path().join("notes.txt"), "export me\n").unwrap();
    fs::write(
        folder.path().join(".gitattributes"),
        "notes.txt export-ignore\n",
    )
    .unwrap();
    git(folder.path(), &["add", "--all"]);
    git(folder.path(), &["commit", "--quiet", "-m", "broken"]);
    let first = git(folder.path(), &["rev-parse", "HEAD"]).trim().to_owned();
    fs::write(folder.path().join("code.txt"), "the answer\n").unwrap();
    git(
        folder.path(),
        &["commit", "--quiet", "--all", "-m", "the answer"],
    );
    git(
        folder.path(),
        &["remote", "add", "origin", "https://example.com/x.git"],
    );
    (folder, first)
}

fn source(repository: &Path, commit: &str) -> TemplateSource {
    TemplateSource::Commit {
        repository: repository.into(),
        commit: commit.to_owned(),
    }
}

#[test]
fn a_commit_is_exported_without_history_and_remotes() {
    let (repository, first) = repository();
    let place = TestProject::of(&source(repository.path(), &first));
    let trial = place.trial();
    let work = trial.work();
    assert_eq!(
        fs::read_to_string(work.join("code.txt")).unwrap(),
        "broken\n"
    );
    // `git archive` would leave this one out.
    assert!(work.join("notes.txt").exists());
    assert_eq!(git(work, &["log", "--all", "--oneline"]).lines().count(), 1);
    assert_eq!(git(work, &["remote"]), "");
    assert_eq!(git(work, &["status", "--porcelain"]), "");
    let objects = git(work, &["cat-file", "--batch-all-objects", "--batch-check"]);
    let hashes = objects.lines().filter_map(|line| line.split(' ').next());
    for hash in hashes {
        assert!(!git(work, &["cat-file", "-p", hash]).contains("the answer"));
    }
}

#[test]
fn the_repository_of_a_workspace_is_not_a_change() {
    let (repository, first) = repository();
    let place = TestProject::of(&source(repository.path(), &first));
    let trial = place.trial();
    trial.write("code.txt", "fixed\n");
    git(trial.work(), &["commit", "--quiet", "--all", "-m", "fix"]);
    assert_eq!(
        trial.listed(),
        [(ChangeKind::Modified, "code.txt".to_owned())]
    );
}

#[test]
fn the_source_repository_is_not_changed() {
    let (repository, first) = repository();
    let state = || {
        let branches = git(repository.path(), &["branch", "--all"]);
        let worktrees = git(repository.path(), &["worktree", "list"]);
        (
            branches,
            worktrees,
            git(repository.path(), &["status", "--porcelain"]),
        )
    };
    let before = state();
    let _place = TestProject::of(&source(repository.path(), &first));
    assert_eq!(state(), before);
}

#[test]
fn what_a_repository_configures_is_not_executed() {
    let (repository, first) = repository();
    let mark = repository.path().join("executed");
    let script = repository.path().join("hook.sh");
    fs::write(&script, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir_all(repository.path().join(".git/hooks")).unwrap();
        fs::copy(&script, repository.path().join(".git/hooks/post-checkout")).unwrap();
        fs::copy(
            &script,
            repository.path().join(".git/hooks/post-index-change"),
        )
        .unwrap();
    }
    git(
        repository.path(),
        &["config", "core.fsmonitor", script.to_str().unwrap()],
    );
    let place = TestProject::of(&source(repository.path(), &first));
    let trial = place.trial();
    // The agent configures its own copy in the same way.
    git(
        trial.work(),
        &["config", "core.fsmonitor", script.to_str().unwrap()],
    );
    trial.write("code.txt", "fixed\n");
    assert_eq!(trial.listed().len(), 1);
    assert!(!mark.exists());
}

#[test]
fn an_unknown_commit_is_refused_by_name() {
    let (repository, _) = repository();
    let place = tempfile::tempdir().unwrap();
    let workspaces = Workspaces::open_in(place.path()).unwrap();
    for commit in ["no-such-branch", "--output=x", "", "HEAD~99"] {
        let error = workspaces
            .export(&source(repository.path(), commit))
            .unwrap_err();
        assert!(matches!(error, WorkspaceError::Git { .. }), "{error}");
        assert!(
            error.to_string().contains(&format!("`{commit}`")),
            "{error}"
        );
    }
    let not_a_repository = tempfile::tempdir().unwrap();
    let error = workspaces
        .export(&source(not_a_repository.path(), "HEAD"))
        .unwrap_err();
    assert!(
        error.to_string().contains("not a git repository"),
        "{error}"
    );
}

#[test]
fn a_folder_is_copied_without_its_repository() {
    let (repository, _) = repository();
    let place = TestProject::of(&TemplateSource::Folder(repository.path().into()));
    let trial = place.trial();
    assert!(trial.work().join("code.txt").exists());
    assert!(!trial.work().join(".git").exists());
}
