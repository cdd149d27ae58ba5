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

#[test]
fn labels_from_the_page_calibrate_a_judge() {
    let project = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(project.path().join(name), text).unwrap();
    std::fs::create_dir_all(project.path().join(".agentv")).unwrap();
    write("note.md", "Be brief.");
    write("strict.md", "Is this good? {{ candidate_answer }}");
    write(
        ".agentv/targets.yaml",
        "targets:\n  - {name: bot, provider: mock, response: Hello}\n  - {name: judge, provider: mock, response: '{\"reasoning\": \"fine\", \"score\": 0.9}'}\n",
    );
    write(
        "cases.yaml",
        "execution: {target: bot, evaluators: [{type: llm_judge, target: judge, prompt: strict.md}]}\nevalcases:\n  - {id: a, expected_outcome: Greets, input_messages: [{role: user, content: [{type: file, value: note.md}, {type: text, value: Hi}]}]}\n  - {id: b, expected_outcome: Leaves, input: Bye}\n",
    );
    let agentv = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agentv"));
        command.args(arguments).current_dir(project.path());
        command
    };
    assert!(
        agentv(&["run", "cases.yaml", "--quiet"])
            .output()
            .unwrap()
            .status
            .success()
    );
    let view = Served::start(&mut agentv(&["view", "--port", "0", "--user", "Ada"])).unwrap();
    let body = |answer: String| -> serde_json::Value {
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    let runs = body(view.get("/api/runs").unwrap());
    let id = runs["runs"][0]["id"].as_str().unwrap();
    for (item, verdict) in [(0, "pass"), (1, "fail")] {
        let answer = body(
            view.get(&format!("/api/runs/{id}/trials/{item}/label"))
                .unwrap(),
        );
        let label =
            serde_json::json!({"run": id, "item": item, "id": answer["id"], "verdict": verdict});
        let written = view.post("/api/labels", &label.to_string()).unwrap();
        assert!(written.starts_with("HTTP/1.1 200"), "{written}");
    }
    // The file that the question quotes is gone, its text is in the label.
    std::fs::remove_file(project.path().join("note.md")).unwrap();
    let found = agentv(&[
        "judge",
        "calibrate",
        ".agentv/labels.jsonl",
        "--format",
        "json",
    ])
    .output()
    .unwrap();
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(
        found.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&found.stderr)
    );
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let shown = body(view.get(&format!("/api/runs/{id}/labels")).unwrap());
    assert_eq!(shown["agreements"][0]["accuracy"], 0.5);
    assert!(
        text.contains("\"accuracy\":0.5") || found["agreement"]["accuracy"] == 0.5,
        "{text}"
    );
    assert_eq!(shown["user"], "Ada");
}
