//! Files that change while a run reads them.

use std::fs::{self, OpenOptions};
use std::io::Write;

use agentv_testkit::Project;
use agentv_testkit::crash::Moment;
use agentv_testkit::model::{Behaviour, ModelServer};
use serde_json::Value;

use crate::program::{Ended, NONE, Program, agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folder, whole_records};

const CASES: usize = 250;

/// Returns a message that is so long that a run has not read the whole file when it makes the first call.
fn message(number: usize) -> String {
    format!("number {number} of the right ones {}", "x".repeat(8_000))
}

/// Runs a project, and changes it when the first calls are made.
fn run_while(change: impl FnOnce(&Project)) -> (Project, Ended, Vec<Value>) {
    // The server does not answer, so the run stops reading until the change is made.
    let server = ModelServer::start(Behaviour::echo().hold_after(3)).unwrap();
    let project = project(&model_target(&server, &["workers: 2"]), CASES, message);
    project
        .write("cases.yaml", "description: theirs\n")
        .unwrap();
    let mut program = Program::start(&mut agentv(&project, NONE));
    program.until(&Moment::Calls(&server, 4));
    change(&project);
    server.release();
    let ended = program.wait();
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    for record in &results {
        let number = record["eval_id"].as_str().unwrap();
        let number: usize = number.trim_start_matches("case-").parse().unwrap();
        assert_eq!(record["candidate_answer"], message(number));
    }
    (project, ended, results)
}

#[test]
fn a_dataset_that_changes_during_a_run_stops_it_and_only_checked_content_is_recorded() {
    let append = |project: &Project| {
        let mut options = OpenOptions::new();
        let file = options.append(true).open(project.path("cases.jsonl"));
        let mut file = file.unwrap();
        file.write_all(
            b"{\"id\": \"late\", \"expected_outcome\": \"none\", \"input\": \"late\"}\n",
        )
        .unwrap();
    };
    let cut = |project: &Project| {
        let mut options = OpenOptions::new();
        let file = options.write(true).open(project.path("cases.jsonl"));
        file.unwrap().set_len(1_000_000).unwrap();
    };
    let overwrite = |project: &Project| {
        let text = project.read("cases.jsonl").unwrap();
        project
            .write("cases.jsonl", text.replace("right ones", "wrong ones"))
            .unwrap();
    };
    for change in [&append as &dyn Fn(&Project), &cut, &overwrite] {
        let (_, ended, results) = run_while(change);
        let ended = ended.expect(2);
        let told = "cases.jsonl: cannot be read: it changed while it was being read";
        assert!(ended.stderr.contains(told), "{}", ended.stderr);
        assert!((1..CASES).contains(&results.len()), "{}", results.len());
        assert!(ended.stdout.contains("--resume="), "{}", ended.stdout);
    }
}

#[test]
fn a_run_stopped_by_a_change_resumes_with_the_new_content() {
    let (project, ended, _) = run_while(|project| {
        let text = project.read("cases.jsonl").unwrap();
        let last = message(CASES).replace("number", "the new number");
        let added = serde_json::json!({
            "id": "case-0250", "expected_outcome": "the right answer", "input": last,
            "evaluators": [{"type": "contains", "value": "new"}],
        });
        project
            .write("cases.jsonl", format!("{text}{added}\n"))
            .unwrap();
    });
    ended.expect(2);
    let targets = "targets: [{name: default, provider: echo}]";
    project.write("targets.yaml", targets).unwrap();
    finish(&mut agentv(&project, ["--resume"])).expect(0);
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    let ids: std::collections::BTreeSet<&str> = results
        .iter()
        .filter_map(|r| r["eval_id"].as_str())
        .collect();
    assert_eq!(ids.len(), CASES + 1);
}

#[test]
fn a_dataset_replaced_or_removed_during_a_run_is_read_to_its_end() {
    let replace = |project: &Project| {
        let text = project.read("cases.jsonl").unwrap();
        let new = project.write("new", text.replace("right ones", "wrong ones"));
        fs::rename(new.unwrap(), project.path("cases.jsonl")).unwrap();
    };
    let remove = |project: &Project| {
        fs::remove_file(project.path("cases.jsonl")).unwrap();
        fs::remove_file(project.path("cases.yaml")).unwrap();
        fs::remove_file(project.path("targets.yaml")).unwrap();
    };
    for change in [&replace as &dyn Fn(&Project), &remove] {
        let (project, ended, _) = run_while(change);
        ended.expect(0);
        each_case_once(&run_folder(&project), CASES);
    }
}
