//! Folders that killed runs leave behind.

use std::fs;
use std::path::Path;

use agentv_workspace::{TemplateSource, Workspaces};

use crate::support::{TestProject, entries_below};

fn runs_in(place: &Path) -> usize {
    let entries = fs::read_dir(place).unwrap().flatten();
    let runs = entries.filter(|entry| entry.file_type().unwrap().is_dir());
    runs.count()
}

#[test]
fn a_run_that_ends_leaves_nothing() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let trial = place.trial();
    let folder = place.folder;
    drop(trial);
    drop(place.workspaces);
    assert_eq!(runs_in(folder.path()), 0);
}

#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let place = tempfile::tempdir().unwrap();
    let workspaces = Workspaces::open_in(place.path()).unwrap();
    let template = workspaces.export(&TemplateSource::Empty).unwrap();
    let workspace = workspaces.create(&template).unwrap();
    fs::write(workspace.work().join("a.txt"), "one").unwrap();
    let kept = workspaces.create(&template).unwrap().keep().unwrap();
    // A killed process releases its locks and removes nothing. Copying the folder gives the same.
    let copy = place.path().join("run-killed");
    let source = workspace.root().parent().unwrap().to_owned();
    let copied = std::process::Command::new("cp")
        .arg("-r")
        .arg(&source)
        .arg(&copy)
        .status();
    assert!(copied.unwrap().success());
    // One that was killed before it had a lock.
    fs::create_dir(place.path().join("run-early")).unwrap();
    drop(workspace);

    let next = Workspaces::open_in(place.path()).unwrap();
    let kept_copy = copy.join(kept.strip_prefix(&source).unwrap());
    assert!(kept_copy.exists(), "a kept workspace stays");
    assert!(!copy.join("trial-2").exists());
    assert!(!place.path().join("run-early").exists());
    // The other run lives.
    assert!(source.exists());
    drop(next);
    drop(workspaces);
    assert!(kept.exists());
    assert_eq!(
        entries_below(kept.parent().unwrap()),
        2,
        "the mark and `work`"
    );
}

#[test]
fn runs_that_start_together_do_not_remove_each_other() {
    let place = tempfile::tempdir().unwrap();
    let open = || {
        let workspaces = Workspaces::open_in(place.path()).unwrap();
        let template = workspaces.export(&TemplateSource::Empty).unwrap();
        for _ in 0..5 {
            let workspace = workspaces.create(&template).unwrap();
            fs::write(workspace.work().join("a"), "a").unwrap();
            workspace.remove().unwrap();
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(open);
        }
    });
    assert_eq!(runs_in(place.path()), 0);
}

#[test]
fn a_kept_workspace_has_no_home() {
    let place = TestProject::with(&[("a.txt", "one\n")]);
    let trial = place.trial();
    fs::write(trial.workspace.home().join("key"), "secret").unwrap();
    let home = trial.workspace.home().to_owned();
    let work = trial.workspace.keep().unwrap();
    assert!(work.join("a.txt").exists());
    assert!(!home.exists());
}
