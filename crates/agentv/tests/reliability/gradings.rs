//! A grading that is killed while it asks a judge can be resumed, and grades nothing twice.

use std::process::Command;

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::model::{Answer, Behaviour, ModelServer};
use serde_json::Value;

use crate::program::{Program, agentv, clean, finish, model_target, project};
use crate::records::run_folder;

const CASES: usize = 40;
const WORKERS: usize = 4;
/// The number of judgements that the first attempt gets.
const JUDGED: usize = 10;

/// Returns `agentv grade` for a run of the project, with further arguments and a clean environment.
fn grade(project: &Project, run: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command
        .args(["grade", run, "--evaluators", "judged.yaml"])
        .args(arguments)
        .current_dir(project.root());
    clean(&mut command);
    command
}

#[test]
fn a_killed_grading_resumes_and_grades_nothing_twice() {
    let verdict = r#"{"score": 0.9, "hits": [], "misses": [], "reasoning": "Good."}"#;
    let behaviour = Behaviour::echo().answer(Answer::Fixed(verdict.to_owned()));
    let server = ModelServer::start(behaviour.hold_after(JUDGED as u64)).unwrap();
    let targets = model_target(&server, &[&format!("workers: {WORKERS}")]);
    let targets = targets.replace("name: default", "name: judge")
        + "  - {name: agent, provider: mock, response: right, judge_target: judge}\n";
    let project = project(&targets, CASES, |number| format!("number {number}"));
    std::fs::write(
        project.root().join("judged.yaml"),
        "evaluators:\n  - {type: llm_judge}\n",
    )
    .unwrap();
    finish(&mut agentv(&project, ["--target", "agent"])).expect(0);
    let origin = run_folder(&project);
    let run = origin.file_name().unwrap().to_str().unwrap().to_owned();

    let mut killed = Program::start(&mut grade(&project, &run, &[]));
    let asked = (JUDGED + WORKERS) as u64;
    killed.until(&Moment::Calls(&server, asked));
    killed.signal(Signal::SIGKILL);
    assert_eq!(killed.wait().code, None, "it ended before it was killed");
    assert_eq!(
        server.calls().total,
        asked,
        "no more than there are workers wait"
    );
    server.release();

    finish(&mut grade(&project, &run, &["--resume"])).expect(0);
    let total = server.calls().total;
    assert!(total <= (CASES + 2 * WORKERS) as u64, "{total} calls");

    let results = origin.parent().unwrap();
    let folders: Vec<_> = std::fs::read_dir(results)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| *path != origin)
        .collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    crate::records::each_case_once(&folders[0], CASES);
    let record = std::fs::read_to_string(folders[0].join("run.json")).unwrap();
    let record: Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["graded_from"], run);
    assert_eq!(record["totals"]["statuses"]["pass"], CASES);
}
