//! A disk that nobody may write to.

use std::fs;
use std::path::Path;
use std::process::Command;

use agentv_testkit::{Project, SmallDisk};

use crate::program::{Ended, clean, finish, project};

const TARGETS: &str = "targets: [{name: default, provider: mock, response: right}]\n";

/// A command in a folder.
fn agentv_in(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    clean(command.args(arguments).current_dir(folder));
    finish(&mut command)
}

/// A disk in place of a folder of the project, unless none can be had.
fn disk_at(project: &Project, name: &str) -> Option<SmallDisk> {
    fs::create_dir_all(project.path(name)).unwrap();
    let disk = SmallDisk::mount(project.path(name), 16 << 10);
    disk.inspect_err(|reason| println!("skipped: {reason}"))
        .ok()
}

/// The paths of all files under a folder, sorted.
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

#[test]
fn what_only_reads_works_on_a_read_only_disk() {
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
        agentv_in(here, &["run", "cases.jsonl", "--quiet"]).expect(0);
    }
    disk.make_read_only().unwrap();
    let before = files_under(here);
    let reading: [&[&str]; 8] = [
        &["validate", "."],
        &["show", "cases.jsonl"],
        &["report", "latest", "--format", "json"],
        &["report", "latest", "--format", "html"],
        &["compare", "latest~1", "latest"],
        &["runs"],
        &["trend"],
        &["targets", "list"],
    ];
    for arguments in reading {
        let ended = agentv_in(here, arguments).expect(0);
        assert_eq!(ended.stderr, "", "{arguments:?}");
        assert!(!ended.stdout.is_empty(), "{arguments:?}");
    }
    let writing: [&[&str]; 7] = [
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
    for arguments in writing {
        let said = agentv_in(here, arguments).expect(5).stderr;
        assert!(
            said.to_lowercase().contains("read-only"),
            "{arguments:?}: {said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert_eq!(files_under(here), before);
}

#[test]
fn a_read_only_results_folder_is_told_before_anything_is_asked() {
    let targets = "targets:\n  - name: default\n    provider: cli\n    \
                   command_template: \"echo asked >> asked; echo right\"\n";
    let project = project(targets, 3, |number| format!("number {number}"));
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
