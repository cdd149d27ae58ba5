//! Runs with times in the future, as after the clock was set back.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agentv_testkit::Project;
use serde_json::Value;

use crate::program::{Ended, NONE, agentv, clean, finish, project};
use crate::records::{each_case_once, run_folder, run_folders, whole_records};

const CASES: usize = 5;
const TARGETS: &str = "targets: [{name: default, provider: mock, response: right}]\n";

/// Moves all times of a run into the future: those in its name, in `run.json` and in the records of its
/// cases.
fn moved_into_the_future(folder: &Path) -> PathBuf {
    let id = folder.file_name().unwrap().to_str().unwrap();
    let year = &id[..4];
    let moved = folder.with_file_name(id.replacen(year, "2096", 1));
    fs::rename(folder, &moved).unwrap();
    for entry in fs::read_dir(&moved).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(&format!("\"{year}-"), "\"2096-")).unwrap();
    }
    moved
}

fn id_of(folder: &Path) -> &str {
    folder.file_name().unwrap().to_str().unwrap()
}

fn said(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    clean(command.args(arguments).current_dir(project.root()));
    finish(&mut command)
}

#[test]
fn after_the_clock_was_set_back_new_runs_work_and_each_can_be_named() {
    let project = project(TARGETS, CASES, |number| format!("number {number}"));
    finish(&mut agentv(&project, NONE)).expect(0);
    let future = moved_into_the_future(&run_folder(&project));
    finish(&mut agentv(&project, NONE)).expect(0);
    let [now, last] = run_folders(&project).try_into().unwrap();
    assert_eq!(last, future);
    each_case_once(&now, CASES);

    for arguments in [
        &["runs"][..],
        &["trend"],
        &["compare", id_of(&now), id_of(&future)],
        &["report", id_of(&now), "--format", "json"],
        &["merge", id_of(&now), id_of(&future)],
    ] {
        said(&project, arguments).expect(0);
    }
    let listed = said(&project, &["runs"]).expect(0).stdout;
    assert!(listed.contains(id_of(&now)) && listed.contains(id_of(&future)));
    let latest = said(&project, &["report", "latest", "--format", "json"]).expect(0);
    let latest: Value = serde_json::from_str(&latest.stdout).unwrap();
    let began = latest["run"]["started_at"].as_str().unwrap();
    assert!(began.starts_with("2096-"), "{began}");
}

#[test]
fn a_run_that_started_in_the_future_can_be_resumed() {
    let project = project(TARGETS, CASES, |number| format!("number {number}"));
    finish(&mut agentv(&project, NONE)).expect(0);
    let future = moved_into_the_future(&run_folder(&project));
    // As if it had been stopped after two cases.
    for file in ["results.jsonl", "transcripts.jsonl"] {
        let text = fs::read_to_string(future.join(file)).unwrap();
        let kept: String = text.split_inclusive('\n').take(2).collect();
        fs::write(future.join(file), kept).unwrap();
    }
    let before = whole_records(&future.join("results.jsonl"));
    finish(&mut agentv(&project, ["--resume"])).expect(0);
    assert_eq!(run_folder(&project), future);
    let after = each_case_once(&future, CASES);
    assert_eq!(after[..before.len()], before[..]);
    let run = fs::read_to_string(future.join("run.json")).unwrap();
    let run: Value = serde_json::from_str(&run).unwrap();
    let time = |field: &str| run[field].as_str().unwrap().to_owned();
    assert!(time("finished_at") < time("started_at"), "{run}");
    for command in ["runs", "trend"] {
        said(&project, &[command]).expect(0);
    }
    said(&project, &["report", "latest", "--format", "html"]).expect(0);
}
