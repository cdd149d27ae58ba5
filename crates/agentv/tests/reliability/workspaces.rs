//! Workspaces, when runs are killed and interrupted in every phase of a trial.

use std::fs;
use std::process::Command;
use std::time::Duration;

use agentv_testkit::Project;
use agentv_testkit::crash::{Moment, Signal};
use serde_json::json;

use crate::LONGEST;
use crate::program::{MARK, NONE, Program, agentv, finish, nothing_lives_on};
use crate::records::{run_folder, whole_records};

/// The phases of a trial in which a command of the user runs.
const PHASES: [&str; 4] = ["setup", "target", "grading", "teardown"];

/// Creates a project in which the command of each phase notes that it runs. It then waits for ever if the
/// file `stuck` names the phase, beside a daemon in a session of its own.
fn project() -> Project {
    let phase = |name: &str| {
        let line = format!(
            "cd \"$AGENTV_EVAL_DIR\"; if test \"$(cat stuck)\" = {name}; then \
             setsid sleep 1000 > /dev/null 2>&1 & echo {name} >> begun; sleep 1000; fi; \
             echo {name} >> done"
        );
        json!(["sh", "-c", line])
    };
    let case = json!({
        "id": "case-0000",
        "expected_outcome": "it works",
        "input": "Work",
        "workspace": {"from": "shop", "setup": [phase("setup")], "teardown": [phase("teardown")]},
        "evaluators": [{"type": "workspace_command", "command": phase("grading")}],
    });
    let target = json!({"name": "default", "provider": "cli", "command": phase("target")});
    let files = [
        (".git/HEAD", ""),
        ("shop/a.txt", "one\n"),
        ("targets.yaml", &json!({"targets": [target]}).to_string()),
        ("cases.jsonl", &format!("{case}\n")),
        ("stuck", ""),
    ];
    Project::new(&files).unwrap()
}

fn mark(project: &Project) -> String {
    project.root().display().to_string()
}

fn run(project: &Project, arguments: &[&str]) -> Command {
    let mut command = agentv(project, arguments);
    let places = project.path("spaces");
    fs::create_dir_all(&places).unwrap();
    command
        .env(MARK, mark(project))
        .env("AGENTV_WORKSPACES", places.join("here"));
    command
}

/// Returns what is left in the place for workspaces, besides its lock.
fn left(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.path("spaces/here")).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "lock").collect()
}

/// Starts a run that is stuck in a phase.
fn stuck_in(phase: &str, project: &Project) -> Program {
    project.write("stuck", phase).unwrap();
    let mut program = Program::start(&mut run(project, &NONE));
    program.until(&Moment::Exists(&project.path("begun")));
    project.write("stuck", "").unwrap();
    program
}

#[test]
fn a_run_that_is_killed_in_any_phase_leaves_no_process_and_the_next_run_removes_its_workspace() {
    for phase in PHASES {
        let project = project();
        let mut program = stuck_in(phase, &project);
        program.kill_at(&Moment::Exists(&project.path("begun")));
        program.wait();
        nothing_lives_on(&mark(&project), LONGEST);
        assert_eq!(left(&project).len(), 1, "{phase}");
        finish(&mut run(&project, &["--resume"])).expect(0);
        assert_eq!(left(&project), [""; 0], "{phase}");
        let results = whole_records(&run_folder(&project).join("results.jsonl"));
        assert_eq!(results.len(), 1, "{phase}");
        assert_eq!(results[0]["status"], "pass", "{phase}");
    }
}

#[test]
fn an_interrupted_run_removes_its_workspace_and_tears_it_down() {
    for phase in PHASES {
        let project = project();
        let program = stuck_in(phase, &project);
        program.signal(Signal::SIGINT);
        let ended = program.wait();
        nothing_lives_on(&mark(&project), LONGEST);
        assert_eq!(left(&project), [""; 0], "{phase}: {}", ended.stderr);
        let done = fs::read_to_string(project.path("done")).unwrap_or_default();
        let torn_down = done.lines().any(|line| line == "teardown");
        // A second teardown would not find what the first one removed.
        assert_eq!(torn_down, phase != "teardown", "{phase}: {done}");
        ended.expect(130);
        finish(&mut run(&project, &["--resume"])).expect(0);
    }
}

#[test]
fn a_daemon_of_the_target_has_ended_before_the_difference_is_taken() {
    let project = project();
    // The daemon would change the file until it is ended.
    let target = json!({
        "name": "default",
        "provider": "cli",
        "command": ["sh", "-c", "setsid sh -c 'while :; do echo x >> a.txt; done' > /dev/null 2>&1 & \
                     while ! grep -q x a.txt; do :; done; echo done"],
    });
    project
        .write("targets.yaml", json!({"targets": [target]}).to_string())
        .unwrap();
    let judge = r#"python3 -c '
import json, sys
given = json.load(sys.stdin)
added = given["file_changes"][0]["lines"]["added"]
now = len(open("a.txt").read().splitlines())
print(json.dumps({"score": 1 if now == added + 1 else 0}))'"#;
    let case = json!({
        "id": "case-0000", "expected_outcome": "it works", "input": "Work",
        "workspace": {"from": "shop"},
        "evaluators": [{"type": "code_judge", "script": judge}],
    });
    project.write("cases.jsonl", case.to_string()).unwrap();
    finish(&mut run(&project, &NONE)).expect(0);
    nothing_lives_on(&mark(&project), Duration::ZERO);
}
