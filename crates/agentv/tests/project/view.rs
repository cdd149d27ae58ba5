//! The command `agentv view`: an address on the first line, and a server behind it.

use std::process::Command;

use agentv_testkit::Served;
use agentv_testkit::runs::{ten, write_run};

#[test]
fn the_view_prints_its_address_and_serves_the_runs_of_the_project() {
    let project = tempfile::tempdir().unwrap();
    let results = project.path().join(".agentv/results");
    let id = "2026-11-15T10-43-07Z-4f1a";
    write_run(&results, id, &serde_json::json!({}), ten());
    let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
    command
        .args(["view", "--port", "0"])
        .current_dir(project.path());
    let view = Served::start(&mut command).unwrap();
    assert!(view.host().starts_with("127.0.0.1:"), "{}", view.host());
    let answer = view.get("/api/runs").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.contains(&format!("\"id\":\"{id}\"")), "{answer}");
    let trials = view.get(&format!("/api/runs/{id}/trials")).unwrap();
    assert!(trials.contains("\"length\":10"), "{trials}");
    let index = project.path().join(format!(".agentv/view/{id}.index"));
    assert!(index.is_file(), "the index is kept beside the results");
}
