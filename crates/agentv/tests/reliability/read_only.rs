//! Disks and folders without write permission.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use agentv_testkit::{Project, SmallDisk};

use crate::program::{Ended, UsualUser, clean, finish, project};

const TARGETS: &str = "targets: [{name: default, provider: mock, response: right}]\n";

/// A target that records its calls.
const NOTING: &str = "targets:
  - {name: default, provider: cli, command_template: 'echo asked >> asked; echo right'}
";

const READING: [&[&str]; 8] = [
    &["validate", "."],
    &["show", "cases.jsonl"],
    &["report", "latest", "--format", "json"],
    &["report", "latest", "--format", "html"],
    &["compare", "latest~1", "latest"],
    &["runs"],
    &["trend"],
    &["targets", "list"],
];
const WRITING: [&[&str]; 7] = [
    &["run", "cases.jsonl"],
    &["run", "cases.jsonl", "--resume"],
    &["grade", "latest"],
    &["merge", "latest", "latest~1"],
    &["report", "latest", "-o", "report.html"],
    &[
        "convert",
        "cases.jsonl",
        "--to",
        "yaml",
        "--output",
        "cases.yaml",
    ],
    &["init"],
];

/// Returns a command that runs in a folder.
fn agentv_in(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    clean(command.args(arguments).current_dir(folder));
    finish(&mut command)
}

/// Mounts a disk in place of a folder of the project, if the system allows that.
fn disk_at(project: &Project, name: &str) -> Option<SmallDisk> {
    fs::create_dir_all(project.path(name)).unwrap();
    let disk = SmallDisk::mount(project.path(name), 16 << 10);
    disk.inspect_err(|reason| println!("skipped: {reason}"))
        .ok()
}

/// Returns the paths of all files under a folder, sorted.
fn files_under(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_under(&path));
        }
        files.push(path.display().to_string());
    }
    files.sort();
    files
}

/// Checks that commands that only read work, and that the others print one error with `reason` and leave
/// nothing in the folder.
fn only_reading_works(folder: &Path, agentv: impl Fn(&[&str]) -> Ended, reason: &str) {
    let before = files_under(folder);
    for arguments in READING {
        let ended = agentv(arguments).expect(0);
        assert_eq!(ended.stderr, "", "{arguments:?}");
        assert!(!ended.stdout.is_empty(), "{arguments:?}");
    }
    for arguments in WRITING {
        let said = agentv(arguments).expect(5).stderr;
        assert!(
            said.to_lowercase().contains(reason),
            "{arguments:?}: {said}"
        );
        let errors = said.lines().filter(|line| !line.starts_with("warning: "));
        assert_eq!(errors.count(), 1, "{said}");
    }
    assert_eq!(files_under(folder), before);
}

#[test]
fn commands_that_only_read_work_on_a_read_only_disk() {
    let project = project(TARGETS, 3, |number| format!("number {number}"));
    let Some(disk) = disk_at(&project, "disk") else {
        return;
    };
    let here = disk.path();
    fs::create_dir(here.join(".git")).unwrap();
    for file in ["cases.jsonl", "targets.yaml"] {
        fs::copy(project.path(file), here.join(file)).unwrap();
    }
    for _ in 0..2 {
        agentv_in(here, &["run", "cases.jsonl"]).expect(0);
    }
    disk.make_read_only().unwrap();
    only_reading_works(here, |arguments| agentv_in(here, arguments), "read-only");
}

/// Removes the write permission from the folders under a path.
fn forbid_writing(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            forbid_writing(&path);
        }
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
}

/// Restores the write permission, so that the project can be removed.
fn allow_writing(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            allow_writing(&path);
        }
    }
}

#[test]
fn commands_that_only_read_work_in_folders_without_write_permission() {
    let project = project(TARGETS, 3, |number| format!("number {number}"));
    let Some(user) = UsualUser::of(&project) else {
        return;
    };
    let agentv = |arguments: &[&str]| finish(&mut user.command(&project, arguments));
    for _ in 0..2 {
        agentv(&["run", "cases.jsonl"]).expect(0);
    }
    forbid_writing(project.root());
    only_reading_works(project.root(), agentv, "permission denied");
    allow_writing(project.root());
}

#[test]
fn a_results_folder_without_write_permission_is_reported_before_anything_is_called() {
    let project = project(NOTING, 3, |number| format!("number {number}"));
    let results = project.path(".agentv/results");
    fs::create_dir_all(&results).unwrap();
    let Some(user) = UsualUser::of(&project) else {
        return;
    };
    forbid_writing(&results);
    let ended = finish(&mut user.command(&project, &["run", "cases.jsonl"])).expect(5);
    let told =
        ended.stderr.contains(".agentv/results") && ended.stderr.contains("Permission denied");
    assert!(told, "{}", ended.stderr);
    assert!(!project.path("asked").exists(), "a target was asked");
    allow_writing(&results);
    finish(&mut user.command(&project, &["run", "cases.jsonl"])).expect(0);
    assert!(
        project.path("asked").exists(),
        "the target would have been asked"
    );
}

#[test]
fn a_read_only_results_folder_is_reported_before_anything_is_called() {
    let project = project(NOTING, 3, |number| format!("number {number}"));
    let Some(disk) = disk_at(&project, ".agentv/results") else {
        return;
    };
    disk.make_read_only().unwrap();
    let ended = agentv_in(project.root(), &["run", "cases.jsonl", "--cache"]).expect(5);
    assert!(
        ended.stderr.contains("Read-only file system"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("asked").exists(), "a target was asked");
    assert_eq!(files_under(disk.path()), [""; 0]);
}
