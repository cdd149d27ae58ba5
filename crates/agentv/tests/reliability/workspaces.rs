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

/// The size of a file that takes a while to read. It is sparse, and takes no room on the disk.
const LARGE: &str = "4G";

/// Creates a project in which the command of each phase notes that it runs. The file `stuck` tells the
/// command of a phase to wait for ever, beside a daemon in a session of its own (`PHASE`), to do so in the
/// second trial (`second PHASE`), or to make a large file in the workspace (`large PHASE`).
fn project() -> Project {
    project_with(&json!({}))
}

/// Creates such a project with further fields of `workspace`.
fn project_with(fields: &serde_json::Value) -> Project {
    let phase = |name: &str| {
        let line = format!(
            "work=$PWD; cd \"${MARK}\"; stuck=$(cat stuck); \
             if test \"$stuck\" = \"second {name}\" && grep -q teardown done; then stuck={name}; fi; \
             if test \"$stuck\" = \"large {name}\"; then truncate -s {LARGE} \"$work/large\"; fi; \
             if test \"$stuck\" = {name}; then \
             setsid sleep 1000 > /dev/null 2>&1 & echo {name} >> begun; sleep 1000; fi; \
             echo {name} >> done"
        );
        json!(["sh", "-c", line])
    };
    let mut workspace =
        json!({"from": "shop", "setup": [phase("setup")], "teardown": [phase("teardown")]});
    let fields = fields.as_object().unwrap().clone();
    workspace.as_object_mut().unwrap().extend(fields);
    let case = json!({
        "id": "case-0000",
        "expected_outcome": "it works",
        "input": "Work",
        "workspace": workspace,
        "evaluators": [{"type": "workspace_command", "command": phase("grading"), "pass_env": [MARK]}],
    });
    let target = json!({
        "name": "default", "provider": "cli", "command": phase("target"), "workers": 1,
    });
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
    let places = project.beside("spaces");
    fs::create_dir_all(&places).unwrap();
    command
        .env(MARK, mark(project))
        .env("AGENTV_WORKSPACES", places.join("here"));
    command
}

/// Returns what is left in the place for workspaces, besides its lock.
fn left(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.beside("spaces").join("here")).unwrap();
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

/// The moments in the phases of a trial in which agentv works by itself: the start of each, and the line
/// of `done` that is written only after it.
enum Own {
    /// Something is made in the place for workspaces.
    Made(&'static str),
    /// The command of a phase has ended. It has made a large file.
    Done(&'static str),
}

/// Kills a run in a phase in which agentv works by itself. Returns false if it was too late for that.
fn killed_in(phase: &Own, next: &str) -> bool {
    let project = project();
    let done = project.path("done");
    let here = project.beside("spaces").join("here");
    let moment = match phase {
        Own::Made(name) => {
            for number in 0..3000 {
                project.write(&format!("shop/{number}"), "text\n").unwrap();
            }
            Moment::Below(&here, name)
        }
        Own::Done(name) => {
            project.write("stuck", format!("large {name}")).unwrap();
            let lines = PHASES.iter().position(|phase| phase == name).unwrap() + 1;
            Moment::Lines(&done, lines as u64)
        }
    };
    let mut program = Program::start(&mut run(&project, &NONE));
    program.kill_at(&moment);
    program.wait();
    nothing_lives_on(&mark(&project), LONGEST);
    let written = fs::read_to_string(&done).unwrap_or_default();
    let is_in_time = !written.lines().any(|line| line == next);
    project.write("stuck", "").unwrap();
    finish(&mut run(&project, &["--resume"])).expect(0);
    assert_eq!(left(&project), [""; 0]);
    let results = whole_records(&run_folder(&project).join("results.jsonl"));
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["status"], "pass");
    is_in_time
}

#[test]
fn a_run_that_is_killed_while_it_copies_or_compares_leaves_nothing_after_the_next_run() {
    let phases = [
        // The export of the template, and its copy for the trial.
        (Own::Made("template-1"), "setup"),
        (Own::Made("trial-2"), "setup"),
        // The snapshot, and the difference.
        (Own::Done("setup"), "target"),
        (Own::Done("target"), "grading"),
    ];
    for (phase, next) in phases {
        // On a busy machine, the kill may come too late for the phase. It must do no harm then, either.
        let attempts = (0..20).take_while(|_| !killed_in(&phase, next)).count();
        assert!(attempts < 20, "never killed before {next}");
    }
    // The removal.
    killed_in(&Own::Done("teardown"), "never");
}

#[test]
fn after_a_kill_only_what_was_kept_remains() {
    let project = project_with(&json!({"keep": "always"}));
    project.write("stuck", "second target").unwrap();
    let mut program = Program::start(&mut run(&project, &["--trials", "2"]));
    program.kill_at(&Moment::Exists(&project.path("begun")));
    program.wait();
    nothing_lives_on(&mark(&project), LONGEST);
    project.write("stuck", "").unwrap();
    finish(&mut run(&project, &["--trials", "2", "--resume"])).expect(0);
    let runs = left(&project);
    let trials = runs.iter().flat_map(|run| {
        let entries = fs::read_dir(project.beside("spaces").join("here").join(run)).unwrap();
        entries.map(|entry| entry.unwrap().path())
    });
    let trials: Vec<_> = trials.filter(|path| path.is_dir()).collect();
    // The killed run has kept one, and the next run one or two: the first result may not have been on disk
    // when the run was killed.
    assert_eq!(runs.len(), 2, "{runs:?}");
    assert!((2..=3).contains(&trials.len()), "{trials:?}");
    for trial in trials {
        let mut names: Vec<_> = fs::read_dir(&trial)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["kept", "work"], "{}", trial.display());
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
