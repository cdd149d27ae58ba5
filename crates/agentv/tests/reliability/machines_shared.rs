//! Workers that several runs or several targets share.

use std::fs;

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Signal};
use serde_json::json;

use crate::engine::{Worker, nats, nothing_is_left_on, run_on};
use crate::program::{Program, finish, project};
use crate::records::{each_case_once, run_folder, whole_records};

/// Returns a target whose answer waits for a file.
fn waiting(name: &str, file: &Project) -> serde_json::Value {
    let file = file.path("go").display().to_string();
    let line = "touch \"$1.begun\"; while [ ! -e \"$1\" ]; do sleep 0.05; done; echo right";
    json!({"name": name, "provider": "cli", "command": ["sh", "-c", line, "sh", file], "timeout_seconds": 170})
}

fn mock(name: &str) -> serde_json::Value {
    json!({"name": name, "provider": "mock", "response": "right", "delay_ms": 1})
}

fn targets(targets: &[serde_json::Value]) -> String {
    json!({"targets": targets}).to_string()
}

#[test]
fn a_run_whose_trials_are_all_in_work_leaves_the_free_slots_to_another_run() {
    let Some(server) = nats() else { return };
    let signal = Project::new(&[]).unwrap();
    let worker = Worker::start(&server.url(), 2);
    let slow = project(&targets(&[waiting("default", &signal)]), 1, |_| {
        "wait".to_owned()
    });
    let mut waits = Program::start(&mut run_on(&server.url(), &slow, &[]));
    waits.until(&Moment::Exists(&signal.path("go.begun")));
    let quick = project(&targets(&[mock("default")]), 200, |number| {
        number.to_string()
    });
    finish(&mut run_on(&server.url(), &quick, &[])).expect(0);
    each_case_once(&run_folder(&quick), 200);
    fs::write(signal.path("go"), "").unwrap();
    waits.wait().expect(0);
    each_case_once(&run_folder(&slow), 1);
    nothing_is_left_on(&server);
    drop(worker);
}

#[test]
fn a_target_whose_trials_are_all_in_work_leaves_the_free_slots_to_another_target() {
    // So many that the run would end too late if the slots waited for a while after each trial.
    const MANY: usize = 1_000;
    let Some(server) = nats() else { return };
    let signal = Project::new(&[]).unwrap();
    let worker = Worker::start(&server.url(), 2);
    let mut slow = waiting("slow", &signal);
    slow["workers"] = json!(1);
    let quick = mock("quick");
    let both = project(&targets(&[slow, quick]), MANY, |number| number.to_string());
    let arguments = ["--target", "slow", "--target", "quick"];
    let mut program = Program::start(&mut run_on(&server.url(), &both, &arguments));
    program.until(&Moment::Exists(&signal.path("go.begun")));
    let results = run_folder(&both).join("results.jsonl");
    program.until(&Moment::Lines(&results, MANY as u64));
    let records = whole_records(&results);
    assert!(records.iter().all(|record| record["target"] == "quick"));
    program.signal(Signal::SIGKILL);
    program.wait();
    drop(worker);
}
