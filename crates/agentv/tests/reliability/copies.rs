//! A run folder that is copied while the run writes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agentv_testkit::crash::Moment;
use agentv_testkit::model::{Behaviour, ModelServer};
use agentv_testkit::{Project, Random};
use serde_json::Value;

use crate::campaign::{rounds, seed};
use crate::program::{NONE, Program, agentv, clean, finish, model_target, project};
use crate::records::{each_case_once, run_folder};

const CASES: usize = 300;

fn copied(folder: &Path, name: &str) -> PathBuf {
    let copy = folder.with_file_name(name);
    let mut command = Command::new("cp");
    let status = command.arg("-r").args([folder, &copy]).status().unwrap();
    // `cp` reports files that are renamed or removed meanwhile, and does not copy them.
    assert!(status.code().is_some());
    copy
}

/// Returns the number of trials in a report of the run.
fn reported(project: &Project, name: &str) -> usize {
    let mut report = Command::new(env!("CARGO_BIN_EXE_agentv"));
    report.args(["report", "--format", "json", name]);
    clean(report.current_dir(project.root()));
    let report: Value = serde_json::from_str(&finish(&mut report).expect(0).stdout).unwrap();
    report["results"].as_array().unwrap().len()
}

fn statuses(folder: &Path) -> Value {
    let run = fs::read_to_string(folder.join("run.json")).unwrap();
    let mut run: Value = serde_json::from_str(&run).unwrap();
    run["totals"]["statuses"].take()
}

#[test]
fn a_copy_made_during_a_run_can_be_reported_and_resumed() {
    let mut random = Random::new(seed());
    for _ in 0..rounds(1, 5) {
        // The run does not end before the last copy, however long the copies take.
        let answered = CASES as u64 * 3 / 4;
        let server = ModelServer::start(Behaviour::echo().hold_after(answered)).unwrap();
        let targets = model_target(&server, &["workers: 4"]);
        let project = project(&targets, CASES, |number| {
            let answer = if number % 7 == 0 { "wrong" } else { "right" };
            format!("{answer} number {number}")
        });
        let mut original = Program::start(&mut agentv(&project, NONE));
        original.until(&Moment::Calls(&server, 1));
        let folder = run_folder(&project);
        let mut copies = Vec::new();
        let mut moments = [0; 3].map(|_| random.between(1, answered));
        moments.sort_unstable();
        for (copy, calls) in moments.into_iter().enumerate() {
            original.until(&Moment::Calls(&server, calls));
            copies.push(copied(&folder, &format!("copy {copy}")));
        }
        server.release();
        original.wait().expect(1);
        each_case_once(&folder, CASES);
        for copy in copies {
            let name = copy.file_name().unwrap().to_str().unwrap();
            let before = reported(&project, name);
            assert!(before < CASES, "{before}");
            finish(&mut agentv(&project, [&format!("--resume={name}")])).expect(1);
            each_case_once(&copy, CASES);
            assert_eq!(reported(&project, name), CASES);
            assert_eq!(statuses(&copy), statuses(&folder));
        }
    }
}
