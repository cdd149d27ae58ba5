//! Two processes that write the same run.

use std::fs;
use std::time::Duration;

use agentv_testkit::crash::Moment;
use agentv_testkit::model::{Behaviour, ModelServer};

use crate::program::{Program, agentv, finish, model_target, project};
use crate::records::{each_case_once, run_folder, whole_records};

#[test]
fn a_second_process_cannot_resume_a_run_that_is_in_progress() {
    const CASES: usize = 200;
    let server =
        ModelServer::start(Behaviour::answering("right").latency(Duration::from_millis(50)))
            .unwrap();
    let targets = model_target(&server, &["workers: 4"]);
    let project = project(&targets, CASES, |number| format!("number {number}"));
    let mut first = Program::start(&mut agentv(
        &project,
        ["--out=out.jsonl", "--events=events.jsonl"],
    ));
    first.until(&Moment::Calls(&server, 10));
    let folder = run_folder(&project);
    let id = folder.file_name().unwrap().to_str().unwrap();
    let process = format!("process {}", first.id());
    for resume in ["--resume".to_owned(), format!("--resume={id}")] {
        let outputs = ["--out=out.jsonl", "--events=events.jsonl"];
        let refused = agentv(&project, [&*resume, outputs[0], outputs[1]]);
        let refused = finish(&mut { refused }).expect(2);
        let said = &refused.stderr;
        assert!(said.contains("is being written by"), "{said}");
        assert!(said.contains(&process) && said.contains(id), "{said}");
    }
    assert!(server.calls().total < CASES as u64, "the first had ended");
    first.wait().expect(0);
    each_case_once(&folder, CASES);
    assert_eq!(server.calls().total, CASES as u64);
    assert_eq!(whole_records(&project.path("out.jsonl")).len(), CASES);
    let events = fs::read_to_string(project.path("events.jsonl")).unwrap();
    assert!(events.starts_with("{\"event\":\"planned\""), "{events}");
    let finished = events.matches("{\"event\":\"finished\"").count();
    assert_eq!(finished, CASES, "the events of the first are complete");
    let names = fs::read_dir(&folder).unwrap().count();
    assert_eq!(names, 3, "the run's three files and nothing else");
}
