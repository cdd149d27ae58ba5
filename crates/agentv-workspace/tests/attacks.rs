//! Agents that try to reach outside of their workspace, or to break the harness.

#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;

use agentv_core::ChangeKind::{Added, Deleted, Modified};
use agentv_workspace::WorkspaceError;

use crate::support::{TestProject, entries_below};

#[test]
fn links_out_of_the_workspace_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.txt"), "top secret\n").unwrap();
    let place = TestProject::with(&[("a.txt", "one\n"), ("docs/b.txt", "two\n")]);
    let trial = place.trial();
    symlink(outside.path(), trial.work().join("everything")).unwrap();
    symlink(outside.path().join("secret.txt"), trial.work().join("one")).unwrap();
    // A folder and a file of the template become links.
    fs::remove_dir_all(trial.work().join("docs")).unwrap();
    symlink(outside.path(), trial.work().join("docs")).unwrap();
    fs::remove_file(trial.work().join("a.txt")).unwrap();
    symlink(
        outside.path().join("secret.txt"),
        trial.work().join("a.txt"),
    )
    .unwrap();
    let expected = [
        (Modified, "a.txt".to_owned()),
        (Added, "docs".to_owned()),
        (Deleted, "docs/b.txt".to_owned()),
        (Added, "everything".to_owned()),
        (Added, "one".to_owned()),
    ];
    assert_eq!(trial.listed(), expected);
    let text = format!("{:?}", trial.changes());
    assert!(!text.contains("top secret"), "{text}");
    trial.workspace.remove().unwrap();
    assert!(outside.path().join("secret.txt").exists());
}

#[test]
fn a_hard_link_to_a_file_outside_keeps_its_content_and_permissions() {
    let place = TestProject::with(&[]);
    let outside = place.folder.path().join("outside.txt");
    fs::write(&outside, "mine\n").unwrap();
    fs::set_permissions(&outside, fs::Permissions::from_mode(0o400)).unwrap();
    let trial = place.trial();
    fs::hard_link(&outside, trial.work().join("linked.txt")).unwrap();
    assert_eq!(trial.listed(), [(Added, "linked.txt".to_owned())]);
    trial.workspace.remove().unwrap();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine\n");
    let mode = fs::metadata(&outside).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o400);
}

#[test]
fn pipes_and_odd_names_neither_block_nor_fail() {
    let place = TestProject::with(&[]);
    let trial = place.trial();
    let made = Command::new("mkfifo")
        .arg(trial.work().join("pipe"))
        .status();
    assert!(made.unwrap().success());
    let odd = OsStr::from_bytes(b"caf\xe9.txt");
    fs::write(trial.work().join(odd), "coffee\n").unwrap();
    let long = "n".repeat(255);
    fs::write(trial.work().join(&long), "long\n").unwrap();
    fs::write(trial.work().join("line\nbreak"), "odd\n").unwrap();
    let listed: Vec<String> = trial.listed().into_iter().map(|(_, path)| path).collect();
    let expected = ["caf\\xe9.txt", "line\nbreak", &long, "pipe"];
    assert_eq!(listed, expected);
    trial.workspace.remove().unwrap();
}

#[test]
fn a_pipe_in_place_of_a_file_is_a_change() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let trial = place.trial();
    fs::remove_file(trial.work().join("a.txt")).unwrap();
    let made = Command::new("mkfifo")
        .arg(trial.work().join("a.txt"))
        .status();
    assert!(made.unwrap().success());
    assert_eq!(trial.listed(), [(Modified, "a.txt".to_owned())]);
}

#[test]
fn a_nested_repository_does_not_hide_files() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let trial = place.trial();
    let nested = trial.work().join("nested");
    let made = Command::new("git")
        .args(["init", "--quiet"])
        .arg(&nested)
        .status();
    assert!(made.unwrap().success());
    trial.write("nested/hidden.txt", "here\n");
    // Git would run the program.
    let made = Command::new("git")
        .args(["config", "core.fsmonitor", "touch executed; false"])
        .current_dir(&nested)
        .status();
    assert!(made.unwrap().success());
    assert_eq!(trial.listed(), [(Added, "nested/hidden.txt".to_owned())]);
}

#[test]
fn files_without_permissions_are_seen_and_removed() {
    let place = TestProject::with(&[("closed/a.txt", "one\n")]);
    let trial = place.trial();
    trial.write("closed/new.txt", "new\n");
    let closed = trial.work().join("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    assert_eq!(trial.listed(), [(Added, "closed/new.txt".to_owned())]);
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let root = trial.workspace.root().to_owned();
    trial.workspace.remove().unwrap();
    assert!(!root.exists());
}

#[test]
fn files_of_other_owners_are_seen_and_removed() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let trial = place.trial();
    trial.write("theirs/new.txt", "new\n");
    let folder = trial.work().join("theirs");
    for path in [folder.join("new.txt"), trial.work().join("a.txt"), folder] {
        // Only root can give files away.
        if let Err(error) = std::os::unix::fs::chown(&path, Some(65_534), Some(65_534)) {
            assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
            return;
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    }
    // Owners are not part of a change, the executable bit is.
    let expected = [
        (Modified, "a.txt".to_owned()),
        (Added, "theirs/new.txt".to_owned()),
    ];
    assert_eq!(trial.listed(), expected);
    let root = trial.workspace.root().to_owned();
    trial.workspace.remove().unwrap();
    assert!(!root.exists());
}

#[test]
fn an_agent_that_deletes_its_workspace_has_deleted_its_files() {
    let place = TestProject::with(&[("a.txt", "one\n"), ("b.txt", "two\n")]);
    for replacement in [None, Some("file"), Some("link")] {
        let trial = place.trial();
        let work = trial.work().to_owned();
        fs::remove_dir_all(&work).unwrap();
        match replacement {
            Some("file") => fs::write(&work, "hello").unwrap(),
            Some(_) => symlink("/", &work).unwrap(),
            None => {}
        }
        let expected = [(Deleted, "a.txt".to_owned()), (Deleted, "b.txt".to_owned())];
        assert_eq!(trial.listed(), expected);
        // Graders and `teardown` run here, and nowhere else.
        let now = fs::symlink_metadata(&work).unwrap();
        assert!(now.is_dir() && entries_below(&work) == 0);
        trial.workspace.remove().unwrap();
    }
    let trial = place.trial();
    fs::remove_dir_all(trial.workspace.root()).unwrap();
    assert_eq!(trial.listed().len(), 2);
    trial.workspace.remove().unwrap();
}

#[test]
fn a_workspace_that_was_replaced_by_a_link_is_empty_and_nothing_beside_it_is_kept() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("solution.txt"), "42\n").unwrap();
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let trial = place.trial();
    let root = trial.workspace.root().to_owned();
    for name in ["work", "home", "tmp"] {
        fs::rename(root.join(name), root.join(format!("{name}-before"))).unwrap();
        symlink(outside.path(), root.join(name)).unwrap();
    }
    assert_eq!(trial.listed(), [(Deleted, "a.txt".to_owned())]);
    for name in ["work", "home", "tmp"] {
        assert!(fs::symlink_metadata(root.join(name)).unwrap().is_dir());
    }
    let kept = trial.workspace.keep().unwrap();
    assert_eq!(entries_below(&kept), 0);
    assert_eq!(entries_below(&root), 2, "the mark and `work`");
    assert!(outside.path().join("solution.txt").exists());
}

#[test]
fn graders_get_the_home_that_setup_left_and_nothing_of_the_agent() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let workspace = place.workspaces.create(&place.template).unwrap();
    fs::create_dir(workspace.home().join("tool")).unwrap();
    fs::write(workspace.home().join("tool/settings"), "of setup").unwrap();
    let before = workspace.snapshot(&place.template).unwrap();
    fs::write(workspace.home().join("tool/settings"), "of the agent").unwrap();
    fs::write(workspace.home().join("usercustomize.py"), "cheat").unwrap();
    fs::write(workspace.tmp().join("left"), "cheat").unwrap();
    let limits = agentv_workspace::DiffLimits::default();
    assert_eq!(workspace.changes(&before, &limits).unwrap().files, []);
    let settings = fs::read_to_string(workspace.home().join("tool/settings"));
    assert_eq!(settings.unwrap(), "of setup");
    assert_eq!(entries_below(workspace.home()), 2);
    assert_eq!(entries_below(workspace.tmp()), 0);
}

#[test]
fn a_file_of_any_size_is_compared_at_once() {
    let place = TestProject::with(&[]);
    let trial = place.trial();
    let path = trial.work().join("huge.bin");
    let file = fs::File::create(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let change = trial.change_of("huge.bin");
    assert!(change.diff_truncated && change.digest.is_none());
    // A change in it is found, at its ends or by its time.
    let trial = place.trial();
    let path = trial.work().join("huge.bin");
    let file = fs::File::create(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    let before = trial.workspace.snapshot(&place.template).unwrap();
    let limits = agentv_workspace::DiffLimits::default();
    let changes = |before| trial.workspace.changes(before, &limits).unwrap().files;
    assert_eq!(changes(&before), []);
    file.write_all_at(b"x", (1 << 40) - 1).unwrap();
    assert_eq!(changes(&before)[0].kind, Modified);
}

#[test]
fn a_change_of_mode_and_a_link_are_shown_as_git_shows_them() {
    let place = TestProject::with(&[("a.sh", "one\n"), ("b.txt", "two\n")]);
    let trial = place.trial();
    let program = trial.work().join("a.sh");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(trial.work().join("b.txt")).unwrap();
    symlink("/etc/passwd", trial.work().join("b.txt")).unwrap();
    symlink("a.sh", trial.work().join("c")).unwrap();
    let diff = |path| trial.change_of(path).diff.unwrap();
    assert_eq!(diff("a.sh"), "old mode 100644\nnew mode 100755\n");
    let link = diff("b.txt");
    assert!(
        link.starts_with("old mode 100644\nnew mode 120000\n--- a/b.txt\n"),
        "{link}"
    );
    assert!(diff("c").starts_with("new file mode 120000\n"));
}

#[test]
fn very_deep_folders_are_removed() {
    let place = TestProject::with(&[]);
    let trial = place.trial();
    // Deeper than a path can be long. `mkdir -p` of the whole path would be refused.
    let script = "i=0; while [ $i -lt 600 ]; do mkdir dddddddddd && cd -P dddddddddd || exit 1; i=$((i+1)); done";
    let made = Command::new("sh")
        .args(["-c", script])
        .current_dir(trial.work())
        .status();
    assert!(made.unwrap().success());
    let _ = trial.changes();
    let root = trial.workspace.root().to_owned();
    trial.workspace.remove().unwrap();
    assert!(!root.exists());
}

#[test]
fn a_large_file_is_compared_by_digest_and_memory_stays_small() {
    let place = TestProject::with(&[("big.bin", "small\n")]);
    let trial = place.trial();
    // Sparse: takes no room on the disk.
    let file = fs::OpenOptions::new()
        .write(true)
        .open(trial.work().join("big.bin"))
        .unwrap();
    file.set_len(1 << 30).unwrap();
    let change = trial.change_of("big.bin");
    assert_eq!(change.kind, Modified);
    assert!(change.diff_truncated && change.diff.is_none());
    assert!(change.digest.is_some());
}

#[test]
fn many_files_are_counted_and_removed() {
    let place = TestProject::with(&[]);
    let trial = place.trial();
    for folder in 0..100 {
        let folder = trial.work().join(folder.to_string());
        fs::create_dir(&folder).unwrap();
        for file in 0..1000 {
            fs::write(folder.join(file.to_string()), "").unwrap();
        }
    }
    let changes = trial.changes();
    assert_eq!(changes.files.len() + changes.further.len(), 100_000);
    let root = trial.workspace.root().to_owned();
    trial.workspace.remove().unwrap();
    assert_eq!(entries_below(&root), 0);
}

#[test]
fn a_changed_template_is_noticed_before_the_next_trial() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let file: PathBuf = place.template.folder().join("a.txt");
    fs::write(&file, "poison\n").unwrap();
    let error = place.workspaces.create(&place.template).unwrap_err();
    assert!(
        matches!(error, WorkspaceError::TemplateChanged(_)),
        "{error}"
    );
}
