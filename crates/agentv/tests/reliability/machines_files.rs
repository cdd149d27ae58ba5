//! A worker needs none of the project's files: whatever a trial needs arrives by digest.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use agentv_testkit::Project;
use serde_json::json;

use crate::engine::{Worker, nats, nothing_is_left_on, run_on};
use crate::program::{NONE, agentv, finish};
use crate::records::{each_case_once, run_folder, timeless_records};

/// A project whose trials need files: a workspace, a script that answers, a script that grades, a file in a
/// message, and a template of a judge.
fn project() -> Project {
    let answer = "#!/bin/sh\ncat shop/price.txt 2>/dev/null || cat price.txt\nls\n";
    let grade = "import json, sys\nsubject = json.load(sys.stdin)\n\
                 print(json.dumps({'score': 1.0 if '42' in json.dumps(subject) else 0.0}))\n";
    let case = |number: usize| {
        json!({
            "id": format!("case-{number:04}"),
            "expected_outcome": "the price",
            "input": [{"role": "user", "content": [
                {"type": "text", "value": format!("number {number}")},
                {"type": "file", "value": "notes/question.md"},
            ]}],
            "workspace": {"from": "shop"},
            "evaluators": [
                {"type": "contains", "value": "42"},
                {"type": "code_judge", "script": ["python3", "graders/grade.py"]},
            ],
        })
    };
    let cases: String = (0..6).map(|number| format!("{}\n", case(number))).collect();
    let target = json!({"targets": [
        {"name": "default", "provider": "cli", "command": ["./tools/answer.sh", "{PROMPT}"]},
    ]});
    let project = Project::new(&[
        (".git/HEAD", ""),
        ("targets.yaml", &target.to_string()),
        ("tools/answer.sh", answer),
        ("graders/grade.py", grade),
        ("notes/question.md", "What is the price?\n"),
        ("shop/price.txt", "42\n"),
        ("cases.jsonl", &cases),
    ])
    .unwrap();
    let tool = project.path("tools/answer.sh");
    fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).unwrap();
    project
}

#[test]
fn a_worker_gets_every_file_that_a_trial_needs() {
    let Some(server) = nats() else { return };
    let local = project();
    finish(&mut agentv(&local, NONE)).expect(0);
    let project = project();
    let workers = [
        Worker::start(&server.url(), 2),
        Worker::start(&server.url(), 2),
    ];
    finish(&mut run_on(&server.url(), &project, &[])).expect(0);
    let (one, other) = (run_folder(&local), run_folder(&project));
    each_case_once(&other, 6);
    for file in ["results.jsonl", "transcripts.jsonl"] {
        assert_eq!(
            timeless_records(&one.join(file)),
            timeless_records(&other.join(file))
        );
    }
    nothing_is_left_on(&server);
    drop(workers);
}
