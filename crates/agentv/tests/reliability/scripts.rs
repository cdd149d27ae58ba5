//! Scripts that grade, and the ways in which they and the run can end.

use std::time::Duration;

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Signal};
use agentv_testkit::processes::with_variable;
use serde_json::{Value, json};

use crate::LONGEST;
use crate::program::{MARK, NONE, Program, agentv, finish, nothing_lives_on};
use crate::records::{run_folder, whole_records};

/// A script that starts children that ignore SIGTERM, one of them in its own session, and does not end.
const STUBBORN: &str = "echo begun >> begun; trap '' TERM INT HUP; \
                        (setsid sh -c 'trap \"\" TERM; sleep 1000' &); sleep 1000 & sleep 1000";

/// Creates a project whose `count` cases are graded by an evaluator.
fn project(evaluator: &Value, count: usize) -> Project {
    let case = |number: usize| {
        let case = json!({
            "id": format!("case-{number}"), "expected_outcome": "ok", "input": "ok",
            "evaluators": [evaluator],
        });
        format!("{case}\n")
    };
    let cases: String = (0..count).map(case).collect();
    let targets = "targets: [{name: default, provider: echo}]";
    let files = [
        (".git/HEAD", ""),
        ("targets.yaml", targets),
        ("cases.jsonl", &cases),
    ];
    Project::new(&files).unwrap()
}

fn mark(project: &Project) -> String {
    project.root().display().to_string()
}

#[test]
fn a_script_that_takes_too_long_is_ended_with_its_children() {
    let script = json!({"type": "code_judge", "script": STUBBORN, "timeout_seconds": 0.5});
    let within = json!({"type": "composite", "evaluators": [script]});
    for evaluator in [&script, &within] {
        let project = project(evaluator, 3);
        let mark = mark(&project);
        finish(agentv(&project, NONE).env(MARK, &mark)).expect(3);
        nothing_lives_on(&mark, Duration::ZERO);
        for record in whole_records(&run_folder(&project).join("results.jsonl")) {
            let error = record["error"]["message"].as_str().unwrap();
            assert!(error.contains("timed out after 500ms"), "{error}");
        }
    }
}

#[test]
fn no_script_survives_an_interrupted_or_killed_run() {
    let evaluator = json!({"type": "code_judge", "script": STUBBORN});
    for (signal, code) in [
        (Signal::SIGINT, Some(130)),
        (Signal::SIGTERM, Some(143)),
        (Signal::SIGKILL, None),
    ] {
        let project = project(&evaluator, 3);
        let mark = mark(&project);
        let mut program = Program::start(agentv(&project, NONE).env(MARK, &mark));
        program.until(&Moment::Lines(&project.path("begun"), 3));
        assert!(with_variable(MARK, &mark).len() > 6, "the marked are found");
        program.signal(signal);
        assert_eq!(program.wait().code, code);
        nothing_lives_on(&mark, LONGEST);
        let results = run_folder(&project).join("results.jsonl");
        assert_eq!(whole_records(&results), [] as [Value; 0]);
    }
}

#[test]
fn a_script_that_waits_for_a_target_is_ended_with_the_run() {
    let script = "\
import os, subprocess, urllib.request
subprocess.Popen(['sleep', '1000'])
request = urllib.request.Request(os.environ['AGENTV_TARGET_PROXY_URL'] + '/invoke', b'{\"question\": \"?\"}')
request.add_header('Authorization', 'Bearer ' + os.environ['AGENTV_TARGET_PROXY_TOKEN'])
open('begun', 'a').write('begun\\n')
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
";
    let evaluator =
        json!({"type": "code_judge", "script": ["python3", "-c", script], "target": true});
    let project = project(&evaluator, 2);
    let slow = "targets: [{name: default, provider: echo, judge_target: slow}, \
                {name: slow, provider: mock, delay_ms: 1000000}]";
    std::fs::write(project.path("targets.yaml"), slow).unwrap();
    let mark = mark(&project);
    let mut program = Program::start(agentv(&project, NONE).env(MARK, &mark));
    program.until(&Moment::Lines(&project.path("begun"), 2));
    program.signal(Signal::SIGTERM);
    assert_eq!(program.wait().code, Some(143));
    nothing_lives_on(&mark, LONGEST);
}
